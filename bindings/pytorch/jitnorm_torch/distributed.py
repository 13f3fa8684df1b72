# SPDX-License-Identifier: Apache-2.0
"""Normalizations whose rows several processes share, with gradients of weight and bias that do not depend, bit for bit,
on how many processes there are.

Each rank has some of the rows: the first rank the first ones, and so on, as data-parallel training has sequences and
sequence-parallel training pieces of them. Blocks of rows are added in an order that depends on the number of all rows
alone, so every rank's rows have to be whole blocks: torch.ops.jitnorm.row_block(all_rows, columns) rows, which is 32 of
512 rows and more; the last rank takes what is left. Backward exchanges the sums of the parts of the rows by one
all_gather, columns x 8 bytes for each part and gradient, and there are at most some 64 parts in all.

The gradient that every rank gets is that of the sum of all ranks' losses. It needs no further reduction: leave these
parameters out of DistributedDataParallel, or of whatever else adds up gradients.
"""

import torch
import torch.distributed as dist

_ops = torch.ops.jitnorm


def gather_in_order(tensor, group=None):
    """The tensors of all ranks, which are of one shape, as a list in the order of the ranks."""
    if not dist.is_initialized() or dist.get_world_size(group) == 1:
        return [tensor]
    all_ranks = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
    dist.all_gather(all_ranks, tensor, group=group)
    return all_ranks


class Rows:
    """Which rank has how many rows of `columns`; the same on every rank."""

    def __init__(self, rows, columns, group=None):
        self.rows = list(rows)
        self.all = sum(self.rows)
        self.group = group
        self.rank = dist.get_rank(group) if dist.is_initialized() else 0
        firsts = [sum(self.rows[:rank]) for rank in range(len(self.rows))]
        self.first = firsts[self.rank]
        # ranks have different numbers of sums, and an all_gather wants one
        self.sums = max(_ops.partial_sums(n, columns, first, self.all) for n, first in zip(self.rows, firsts))

    def merge(self, partial, shape, dtypes):
        """The whole gradients from this rank's sums: one for each that is no None."""
        wanted = [i for i, sums in enumerate(partial) if sums is not None]
        columns = partial[wanted[0]].shape[1]
        own = torch.zeros(len(wanted), self.sums, columns, dtype=torch.float64)
        for place, i in enumerate(wanted):
            own[place, : len(partial[i])] = partial[i]
        every = gather_in_order(own, self.group)
        merged = [None] * len(partial)
        for place, i in enumerate(wanted):
            merged[i] = _ops.merge_gradients([sums[place] for sums in every], self.rows, shape, dtypes[i])
        return merged


def _rows(input, shape, rows, group):
    columns = 1
    for size in shape:
        columns *= size
    if rows is None:  # every rank has as many
        ranks = dist.get_world_size(group) if dist.is_initialized() else 1
        own = 1
        for size in input.shape[: input.dim() - len(shape)]:
            own *= size
        rows = [own] * ranks
    return Rows(rows, columns, group)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(context, input, shape, weight, bias, eps, rows):
        output, mean, rstd = _ops.layer_norm_forward(input, shape, weight, bias, eps)
        context.save_for_backward(input, mean, rstd, weight)
        context.shape, context.rows = shape, rows
        context.dtypes = [None if t is None else t.dtype for t in (weight, bias)]
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context, of_output):
        input, mean, rstd, weight = context.saved_tensors
        needs = context.needs_input_grad
        mask = (needs[0], needs[2], needs[3])
        if not (needs[2] or needs[3]):
            grad, _, _ = _ops.layer_norm_backward(of_output, input, context.shape, mean, rstd, weight, mask)
            return grad, None, None, None, None, None
        rows = context.rows
        grad, *sums = _ops.layer_norm_partial_backward(
            of_output, input, context.shape, mean, rstd, weight, rows.first, rows.all, mask
        )
        of_weight, of_bias = rows.merge(sums, context.shape, context.dtypes)
        return grad, None, of_weight, of_bias, None, None


class _RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(context, input, shape, weight, eps, rows):
        output, rstd = _ops.rms_norm_forward(input, shape, weight, eps)
        context.save_for_backward(input, rstd, weight)
        context.shape, context.rows = shape, rows
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context, of_output):
        input, rstd, weight = context.saved_tensors
        needs = context.needs_input_grad
        mask = (needs[0], needs[2])
        if not needs[2]:
            grad, _ = _ops.rms_norm_backward(of_output, input, context.shape, rstd, weight, mask)
            return grad, None, None, None, None
        rows = context.rows
        grad, sums = _ops.rms_norm_partial_backward(
            of_output, input, context.shape, rstd, weight, rows.first, rows.all, mask
        )
        (of_weight,) = rows.merge([sums], context.shape, [weight.dtype])
        return grad, None, of_weight, None, None


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, rows=None, group=None):
    """torch.nn.functional.layer_norm of this rank's rows. rows: how many each rank of the group has, in their order;
    None: each as many as this one."""
    shape = tuple(normalized_shape)
    return _LayerNorm.apply(input, shape, weight, bias, eps, _rows(input, shape, rows, group))


def rms_norm(input, normalized_shape, weight=None, eps=None, rows=None, group=None):
    """The same without a mean."""
    shape = tuple(normalized_shape)
    return _RMSNorm.apply(input, shape, weight, eps, _rows(input, shape, rows, group))


class LayerNorm(torch.nn.LayerNorm):
    """torch.nn.LayerNorm of this rank's rows, of which every rank has as many."""

    group = None

    def forward(self, input):
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps, group=self.group)
