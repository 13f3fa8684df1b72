# SPDX-License-Identifier: Apache-2.0
"""Normalizations whose rows several processes share, with gradients of weight and bias that do not depend, bit for bit,
on how many processes there are.

Each rank has some of the rows: the first rank the first ones, and so on, as data-parallel training has sequences and
sequence-parallel training pieces of them. Blocks of rows are added in an order that depends on the number of all rows
alone, so every rank's rows have to be whole blocks: torch.ops.jitnorm.row_block(all_rows, columns) rows, which is 32 of
512 rows and more; the last rank takes what is left. In backward a running sum goes from rank to rank, 16 bytes for each
column and gradient, to which each adds its own, and the last one has the gradients, which it sends to all.

The gradient that every rank gets is that of the sum of all ranks' losses. It needs no further reduction: leave these
parameters out of DistributedDataParallel, or of whatever else adds up gradients.
"""

import math

import torch
import torch.distributed as dist

from . import modules

_ops = torch.ops.jitnorm


class Rows:
    """Which of the rows that a group shares are this rank's: `rows` are the numbers of all ranks, in their order."""

    def __init__(self, rows, group=None):
        self.ranks, self.rank, self.group = _ranks(group), _rank(group), group
        if len(rows) != self.ranks:
            raise ValueError(f"there are {self.ranks} ranks, and numbers of rows of {len(rows)}")
        self.own, self.first, self.all = rows[self.rank], sum(rows[: self.rank]), sum(rows)

    def _peer(self, rank):
        return rank if self.group is None else dist.get_global_rank(self.group, rank)

    def add_up(self, partial, shape, dtypes):
        """The gradients of all rows from this rank's sums: one for each that is no None."""
        wanted = [i for i, sums in enumerate(partial) if sums is not None]
        running = torch.zeros(len(wanted), 2, partial[wanted[0]].shape[1], dtype=torch.float64)
        if self.rank > 0:
            dist.recv(running, self._peer(self.rank - 1), self.group)
        for to, i in zip(running, wanted):
            _ops.add_partial_gradients_(to, partial[i], self.own, self.first, self.all)
        if self.rank < self.ranks - 1:
            dist.send(running, self._peer(self.rank + 1), self.group)
        # what is computed in: double to float is the one rounding of narrower types too
        total = running[:, 0].to(torch.float64 if torch.float64 in dtypes else torch.float32).contiguous()
        if self.ranks > 1:
            dist.broadcast(total, self._peer(self.ranks - 1), self.group)
        gradients = [None] * len(partial)
        for of_one, i in zip(total, wanted):
            gradients[i] = of_one.to(dtypes[i]).view(shape)
        return gradients


def _ranks(group):
    return dist.get_world_size(group) if dist.is_initialized() else 1


def _rank(group):
    return dist.get_rank(group) if dist.is_initialized() else 0


def _rows(input, shape, rows, group):
    if rows is None:  # every rank has as many
        rows = [math.prod(input.shape[: input.dim() - len(shape)])] * _ranks(group)
    return Rows(rows, group)


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
        of_weight, of_bias = rows.add_up(sums, context.shape, context.dtypes)
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
        (of_weight,) = rows.add_up([sums], context.shape, [weight.dtype])
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

    def __init__(self, *arguments, group=None, **more):
        super().__init__(*arguments, **more)
        self.group = group

    def forward(self, input):
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps, group=self.group)


class RMSNorm(modules.RMSNorm):
    """The same without a mean."""

    def __init__(self, *arguments, group=None, **more):
        super().__init__(*arguments, **more)
        self.group = group

    def forward(self, input):
        return rms_norm(input, self.normalized_shape, self.weight, self.eps, group=self.group)
