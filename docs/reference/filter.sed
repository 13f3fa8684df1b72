# SPDX-License-Identifier: Apache-2.0
# A header as Doxygen wants it: comments in front of a declaration, or after one in the same line, get their marks; the
# file's comment, "name.h: what it is", and rulers get commands.
/SPDX-License-Identifier/d
/^(#endif|\})/b
s~^/\* ([a-z_]+\.h): ~/** @file\n * ~
s~^// ([a-z_]+\.hpp): ~/// @file\n/// ~
s~^/\* -{9,} (.*)~/** @file\n * @par \u\1~
s~^// -{9,} (.*)~~
s~^( *)/\* ~\1/** ~
s~^( *)// ~\1/// ~
s~([^ ].*) /\* ~\1 /**< ~
s~([;,{)a-z0-9]) // ~\1 ///< ~
s~^ \* (invalid_[a-z_]+|unimplemented|out_of_memory|runtime_error|not_required|last_impl_reached): ~ * @retval jitnorm_\1 ~
