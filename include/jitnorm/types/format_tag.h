/* SPDX-License-Identifier: Apache-2.0 */
/* format_tag.h: layouts by name. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_FORMAT_TAG_H
#define JITNORM_TYPES_FORMAT_TAG_H

#include "status.h"

/* Layouts by name. Letters are logical dimensions, from the outermost in memory to the innermost. An upper-case letter
 * is a dimension that is also split into inner blocks. The inner blocks follow, each as a size and a letter. "ab" is
 * row major, "ba" is column major. "aBc8b" is a three-dimensional tensor whose second dimension is padded to a multiple
 * of 8 and split into blocks of 8, which are innermost in memory. The names are those of oneDNN, the numbers are
 * not. */
typedef enum JITNORM_INT {
    jitnorm_format_tag_undef = 0,
    jitnorm_format_tag_any = 1,
    jitnorm_a = 2,
    jitnorm_ab = 3,
    jitnorm_ba = 4,
    jitnorm_abc = 5,
    jitnorm_acb = 6,
    jitnorm_bac = 7,
    jitnorm_bca = 8,
    jitnorm_cab = 9,
    jitnorm_cba = 10,
    jitnorm_abcd = 11,
    jitnorm_abdc = 12,
    jitnorm_acbd = 13,
    jitnorm_acdb = 14,
    jitnorm_adbc = 15,
    jitnorm_bacd = 16,
    jitnorm_bcda = 17,
    jitnorm_cdab = 18,
    jitnorm_cdba = 19,
    jitnorm_dabc = 20,
    jitnorm_dcab = 21,
    jitnorm_dcba = 22,
    jitnorm_abcde = 23,
    jitnorm_abced = 24,
    jitnorm_abdec = 25,
    jitnorm_acbde = 26,
    jitnorm_acdeb = 27,
    jitnorm_bacde = 28,
    jitnorm_bcdea = 29,
    jitnorm_cdeba = 30,
    jitnorm_decab = 31,
    jitnorm_eabcd = 32,
    jitnorm_edcba = 33,
    jitnorm_Ab4a = 34,
    jitnorm_Ab8a = 35,
    jitnorm_Ab16a = 36,
    jitnorm_aB4b = 37,
    jitnorm_aB8b = 38,
    jitnorm_aB16b = 39,
    jitnorm_AB8b8a = 40,
    jitnorm_AB16b16a = 41,
    jitnorm_AB16b32a = 42,
    jitnorm_AB16b48a = 43,
    jitnorm_AB16b64a = 44,
    jitnorm_AB48a16b = 45,
    jitnorm_AB8a8b = 46,
    jitnorm_AB16a16b = 47,
    jitnorm_BA16a16b = 48,
    jitnorm_BA16a32b = 49,
    jitnorm_BA16a48b = 50,
    jitnorm_BA16a64b = 51,
    jitnorm_aBc4b = 52,
    jitnorm_aBc8b = 53,
    jitnorm_aBc16b = 54,
    jitnorm_aBC8b8c = 55,
    jitnorm_aBC16b16c = 56,
    jitnorm_ABc16a16b = 57,
    jitnorm_ABc16b16a = 58,
    jitnorm_aBcd4b = 59,
    jitnorm_aBcd8b = 60,
    jitnorm_aBcd16b = 61,
    jitnorm_ABcd16a16b = 62,
    jitnorm_ABcd16b16a = 63,
    jitnorm_aBcde4b = 64,
    jitnorm_aBcde8b = 65,
    jitnorm_aBcde16b = 66,
    jitnorm_ABcde16a16b = 67,
    jitnorm_format_tag_last = 68, /* one past the last tag of this version */

    /* The usual names: t time, n batch, c channels, l layer, d direction, h height, w width. */
    jitnorm_x = jitnorm_a,
    jitnorm_nc = jitnorm_ab,
    jitnorm_cn = jitnorm_ba,
    jitnorm_tn = jitnorm_ab,
    jitnorm_nt = jitnorm_ba,
    jitnorm_ncw = jitnorm_abc,
    jitnorm_nwc = jitnorm_acb,
    jitnorm_tnc = jitnorm_abc,
    jitnorm_ntc = jitnorm_bac,
    jitnorm_nchw = jitnorm_abcd,
    jitnorm_nhwc = jitnorm_acdb,
    jitnorm_chwn = jitnorm_bcda,
    jitnorm_ldnc = jitnorm_abcd,
    jitnorm_ncdhw = jitnorm_abcde,
    jitnorm_ndhwc = jitnorm_acdeb
} jitnorm_format_tag_t;

#endif
