# SPDX-License-Identifier: Apache-2.0
"""Normalizations whose rows several processes (ranks) share. The gradients of weight and bias have the same bits for
any number of processes.

Each rank has some of the rows: the first rank has the first rows, and so on. In data-parallel training a rank has whole
sequences, in sequence-parallel training pieces of sequences. Rows are added block by block, in an order that depends
only on the number and the length of all rows. Therefore the rows of each rank must be whole blocks; only the last rank
takes what is left. A block has torch.ops.jitnorm.row_block(all_rows, columns) rows, which is 32 if there are 512 rows
or more.

In backward the sums of all ranks are added up in one of two ways, which give the same bits. Either a running sum goes
from rank to rank, 16 bytes for each column and gradient; each rank adds its rows to it, and the last rank, which then
has the gradients, sends them to all. Or each rank gets some of the columns of all sums, adds them up, and all ranks
gather the results: two collectives, however many ranks there are. Rows.exchanges_columns() says which way it is.

The gradient that every rank gets is the gradient of the sum of all ranks' losses. It must not be reduced again: leave
these parameters out of DistributedDataParallel, and of whatever else adds up gradients.

Ranks may also share the columns, in tensor parallelism: Columns says how, and column_layer_norm() and column_rms_norm()
normalize this rank's columns with the bits of whole rows.
"""

import functools
import itertools
import math
from typing import Any, List, Optional, Sequence, Tuple

import torch
import torch.distributed as dist
from torch import Tensor

from . import modules

_ops = torch.ops.jitnorm


class Rows:
    """Says which of the group's rows are this rank's: `own` rows, beginning at row `first`, of `all` rows.
    The argument `rows` has the number of rows of each rank, in the order of the ranks."""

    def __init__(self, rows: Sequence[int], group: Optional[Any] = None) -> None:
        self.ranks, self.rank, self.group = _ranks(group), _rank(group), group
        if len(rows) != self.ranks:
            raise ValueError(f"there are {self.ranks} ranks, and numbers of rows of {len(rows)}")
        self.of_ranks = tuple(rows)
        self.firsts = [sum(rows[:rank]) for rank in range(self.ranks)]
        self.own, self.first, self.all = rows[self.rank], self.firsts[self.rank], sum(rows)

    def rows_of_sums(self, columns: int) -> List[int]:
        """For each rank, how many rows of sums backward makes of its rows."""
        return _rows_of_sums(self.of_ranks, columns)

    def exchanges_columns(self, columns: int) -> bool:
        """Whether the ranks exchange columns of their sums, in place of a running sum that goes from rank to rank: if the
        data that a rank has to wait for are no more then. Running sums are 2 doubles for each column, and the last rank
        waits for those of all others, which follow one another. In an exchange a rank receives columns / ranks columns of
        the sums of each other rank, and sends as much."""
        return self.ranks > 1 and max(self.rows_of_sums(columns)) * _share(columns, self.ranks) <= columns

    def add_up(
        self, partial: Sequence[Optional[Tensor]], shape: Sequence[int], dtypes: Sequence[Optional[torch.dtype]]
    ) -> List[Optional[Tensor]]:
        """Adds up the sums of all ranks and returns the gradients of all rows, in the given dtypes. `partial` has this
        rank's sums, for each gradient or None; the result has None in the same places."""
        wanted = [i for i, sums in enumerate(partial) if sums is not None]
        sums = torch.stack([sums for sums in partial if sums is not None])
        # the type that is computed in: as in backward on all rows, narrower types are rounded to float32 first
        dtype = torch.float64 if torch.float64 in dtypes else torch.float32
        total = (self._by_exchange if self.exchanges_columns(sums.shape[2]) else self._in_turns)(sums, dtype)
        gradients: List[Optional[Tensor]] = [None] * len(partial)
        for of_one, i in zip(total, wanted):
            gradients[i] = of_one.to(dtypes[i]).view(shape)
        return gradients

    def _peer(self, rank: int) -> int:
        return rank if self.group is None else dist.get_global_rank(self.group, rank)

    def _in_turns(self, sums: Tensor, dtype: torch.dtype) -> Tensor:
        """`sums` are (gradients, rows of sums, columns), the result is (gradients, columns)."""
        gradients, _, columns = sums.shape
        running = torch.zeros(gradients, 2, columns, dtype=torch.float64)
        if self.rank > 0:
            dist.recv(running, self._peer(self.rank - 1), self.group)
        for to, own in zip(running, sums):
            _ops.add_partial_gradients_(to, own, self.own, self.first, self.all)
        if self.rank < self.ranks - 1:
            dist.send(running, self._peer(self.rank + 1), self.group)
        total = running[:, 0].to(dtype).contiguous()
        if self.ranks > 1:
            dist.broadcast(total, self._peer(self.ranks - 1), self.group)
        return total

    def _by_exchange(self, sums: Tensor, dtype: torch.dtype) -> Tensor:
        """As _in_turns(). Columns are filled up with zeros, so that all ranks have as many."""
        gradients, own, columns = sums.shape
        share, of_ranks = _share(columns, self.ranks), self.rows_of_sums(columns)
        filled = torch.nn.functional.pad(sums, (0, share * self.ranks - columns))
        sent = filled.view(gradients, own, self.ranks, share).permute(2, 0, 1, 3).flatten()
        sizes = [gradients * rows * share for rows in of_ranks]
        received = torch.empty(sum(sizes), dtype=torch.float64)
        dist.all_to_all_single(received, sent, sizes, [sizes[self.rank]] * self.ranks, self.group)
        running = torch.zeros(gradients, 2, share, dtype=torch.float64)
        for rank, of_rank in enumerate(received.split(sizes)):
            for to, from_rank in zip(running, of_rank.view(gradients, of_ranks[rank], share)):
                _ops.add_partial_gradients_(to, from_rank, self.of_ranks[rank], self.firsts[rank], self.all, columns)
        total = torch.empty(self.ranks, gradients, share, dtype=dtype)
        dist.all_gather(list(total), running[:, 0].to(dtype).contiguous(), self.group)
        return total.transpose(0, 1).reshape(gradients, -1)[:, :columns]


class Columns:
    """Says which columns of all rows are this rank's: `own` columns, beginning at column `first`, of `all` columns.
    The argument `columns` has the number of columns of each rank, in the order of the ranks. Each but the row's last
    columns is a multiple of 4096, or 0."""

    def __init__(self, columns: Sequence[int], group: Optional[Any] = None) -> None:
        self.ranks, self.rank, self.group, self.of_ranks = _ranks(group), _rank(group), group, list(columns)
        if len(columns) != self.ranks:
            raise ValueError(f"there are {self.ranks} ranks, and numbers of columns of {len(columns)}")
        self.own, self.first, self.all = columns[self.rank], sum(columns[: self.rank]), sum(columns)

    def moments(self, input: Tensor, rms: bool) -> Tensor:
        """The moments of the rows, from those of all ranks: 32 bytes for each row and 4096 columns, to all ranks."""
        if input.shape[-1] != self.own:
            raise ValueError(f"the input has {input.shape[-1]} columns, this rank has {self.own}")
        own = _ops.chunk_moments(input, self.first, self.all, rms)
        if self.ranks == 1:
            return _ops.merge_moments([own], self.of_ranks, input.dtype)
        chunks = [-(-columns // 4096) for columns in self.of_ranks]
        sent = own.new_zeros(*own.shape[:-2], max(chunks), 4)  # all ranks send as much
        sent[..., : own.shape[-2], :] = own
        received = [torch.empty_like(sent) for _ in chunks]
        dist.all_gather(received, sent, self.group)
        moments = [of_rank[..., :count, :].contiguous() for of_rank, count in zip(received, chunks)]
        return _ops.merge_moments(moments, self.of_ranks, input.dtype)


def _share(columns: int, ranks: int) -> int:
    return -(-columns // ranks)


@functools.lru_cache(maxsize=64)
def _rows_of_sums(of_ranks: Tuple[int, ...], columns: int) -> List[int]:
    firsts, total = itertools.accumulate(of_ranks, initial=0), sum(of_ranks)
    return [_ops.rows_of_sums(rows, first, total, columns) for rows, first in zip(of_ranks, firsts)]


def _ranks(group: Optional[Any]) -> int:
    return dist.get_world_size(group) if dist.is_initialized() else 1


def _rank(group: Optional[Any]) -> int:
    return dist.get_rank(group) if dist.is_initialized() else 0


def _rows(input: Tensor, shape: Sequence[int], rows: Optional[Sequence[int]], group: Optional[Any]) -> Rows:
    if rows is None:  # every rank has as many rows as this one
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
    def forward(context, input, shape, weight, eps, rows, plus_one):
        output, rstd = _ops.rms_norm_forward(input, shape, weight, eps, plus_one)
        context.save_for_backward(input, rstd, weight)
        context.shape, context.rows, context.plus_one = shape, rows, plus_one
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context, of_output):
        input, rstd, weight = context.saved_tensors
        needs = context.needs_input_grad
        mask = (needs[0], needs[2])
        if not needs[2]:
            grad, _ = _ops.rms_norm_backward(of_output, input, context.shape, rstd, weight, mask, None, context.plus_one)
            return grad, None, None, None, None, None
        rows = context.rows
        grad, sums = _ops.rms_norm_partial_backward(
            of_output, input, context.shape, rstd, weight, rows.first, rows.all, mask, context.plus_one
        )
        (of_weight,) = rows.add_up([sums], context.shape, [weight.dtype])
        return grad, None, of_weight, None, None, None


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
    rows: Optional[Sequence[int]] = None,
    group: Optional[Any] = None,
) -> Tensor:
    """As jitnorm_torch.layer_norm; `input` has this rank's rows. `rows` lists how many rows each rank of the
    group has, in the order of the ranks; None means that each has as many as this one."""
    shape = tuple(normalized_shape)
    return _LayerNorm.apply(input, shape, weight, bias, eps, _rows(input, shape, rows, group))


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Optional[Tensor] = None,
    eps: Optional[float] = None,
    rows: Optional[Sequence[int]] = None,
    group: Optional[Any] = None,
    plus_one: bool = False,
) -> Tensor:
    """As jitnorm_torch.rms_norm; `input`, `rows` and `group` as in layer_norm()."""
    shape = tuple(normalized_shape)
    return _RMSNorm.apply(input, shape, weight, eps, _rows(input, shape, rows, group), plus_one)


def column_layer_norm(
    input: Tensor, columns: Columns, weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, eps: float = 1e-5
) -> Tensor:
    """Layer normalization of rows whose columns ranks share. `input` has this rank's columns of all rows, which are its
    last dimension; weight and bias have these columns, too; `columns` is a Columns. There is no backward."""
    moments = columns.moments(input.detach(), False)
    return _ops.layer_norm_partial_forward(input, moments, weight, bias, eps, columns.first, columns.all)


def column_rms_norm(
    input: Tensor,
    columns: Columns,
    weight: Optional[Tensor] = None,
    eps: Optional[float] = None,
    plus_one: bool = False,
) -> Tensor:
    """RMS normalization of rows whose columns ranks share, as column_layer_norm()."""
    moments = columns.moments(input.detach(), True)
    return _ops.rms_norm_partial_forward(input, moments, weight, eps, columns.first, columns.all, plus_one)


class LayerNorm(torch.nn.LayerNorm):
    """torch.nn.LayerNorm of this rank's rows. Every rank of the group has the same number of rows."""

    def __init__(self, *arguments: Any, group: Optional[Any] = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.group = group

    def forward(self, input: Tensor) -> Tensor:
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps, group=self.group)


class RMSNorm(modules.RMSNorm):
    """RMSNorm of this rank's rows. Every rank of the group has the same number of rows."""

    def __init__(self, *arguments: Any, group: Optional[Any] = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.group = group

    def forward(self, input: Tensor) -> Tensor:
        return rms_norm(input, self.normalized_shape, self.weight, self.eps, None, self.group, self.plus_one)
