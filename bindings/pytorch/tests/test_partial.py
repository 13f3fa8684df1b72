# SPDX-License-Identifier: Apache-2.0
"""Gradients of weight and bias from ranges of rows, and the same model on several processes."""

import pathlib
import subprocess
import sys
import unittest

import torch

from jitnorm_torch import distributed
from support import TestCase, layer_norm, leaf, random, rms_norm

OPERATORS = torch.ops.jitnorm
EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "ranks.py"


class Ranges(TestCase):
    def gradients_of_ranges(self, x, gradient, weight, bias, rows):
        firsts = [sum(rows[:i]) for i in range(len(rows))]
        running = torch.zeros(2, 2, weight.numel(), dtype=torch.float64)
        for first, count in zip(firsts, rows):
            own = slice(first, first + count)
            _, mean, rstd = OPERATORS.layer_norm_forward(x[own], weight.shape, weight, bias, 1e-5)
            _, sums_of_weight, sums_of_bias = OPERATORS.layer_norm_partial_backward(
                gradient[own], x[own], weight.shape, mean, rstd, weight, first, len(x), (True, True, True)
            )
            for to, sums in zip(running, (sums_of_weight, sums_of_bias)):
                OPERATORS.add_partial_gradients_(to, sums, count, first, len(x))
        computed_in = torch.float64 if x.dtype == torch.float64 else torch.float32
        return [gradient.to(computed_in).to(weight.dtype).view(weight.shape) for gradient in running[:, 0]]

    def test_have_the_bits_of_the_whole(self):
        for dtype in (torch.float32, torch.bfloat16, torch.float64):
            x, gradient = random((4128, 2, 12), dtype), random((4128, 2, 12), dtype, 2)
            weight, bias = leaf(random((2, 12), dtype, 3)), leaf(random((2, 12), dtype, 4))
            whole = torch.autograd.grad(layer_norm(x, (2, 12), weight, bias), (weight, bias), gradient)
            for rows in ([4128], [2080, 2048], [32, 0, 4064, 32], [1024] * 4 + [32]):
                merged = self.gradients_of_ranges(x, gradient, weight.detach(), bias.detach(), rows)
                for got, expected in zip(merged, whole):
                    self.assert_same_bits(got, expected)

    def test_one_process_is_the_ordinary_operator(self):
        x, weight, bias = leaf(random((600, 24))), leaf(random(24, seed=2)), leaf(random(24, seed=3))
        gradient = random((600, 24), seed=4)
        for tensors in ((x, weight, bias), (weight,), (x, bias), (x,)):
            got = torch.autograd.grad(distributed.layer_norm(x, (24,), weight, bias), tensors, gradient)
            expected = torch.autograd.grad(layer_norm(x, (24,), weight, bias), tensors, gradient)
            for a, b in zip(got, expected):
                self.assert_same_bits(a, b)
        for plus_one in (False, True):
            got = torch.autograd.grad(distributed.rms_norm(x, (24,), weight, 1e-5, plus_one=plus_one), (x, weight), gradient)
            for a, b in zip(got, torch.autograd.grad(rms_norm(x, (24,), weight, 1e-5, plus_one), (x, weight), gradient)):
                self.assert_same_bits(a, b)

    def test_errors(self):
        x = random((64, 8))
        running, sums = torch.zeros(2, 8, dtype=torch.float64), torch.zeros(64, 8, dtype=torch.float64)
        for wrong in (
            lambda: OPERATORS.add_partial_gradients_(running, sums[:1], 64, 16, 4096),  # within a row block
            lambda: OPERATORS.add_partial_gradients_(running, sums[:1], 4096, 0, 4096),  # too few sums
            lambda: OPERATORS.add_partial_gradients_(running[:1], sums, 4096, 0, 4096),
            lambda: OPERATORS.add_partial_gradients_(running[0], sums, 4096, 0, 4096),
            lambda: OPERATORS.add_partial_gradients_(running.float(), sums, 4096, 0, 4096),
            lambda: distributed.layer_norm(x, (8,), rows=[32, 32]),  # there is one process
        ):
            with self.assertRaises((RuntimeError, ValueError)):
                wrong()
        OPERATORS.add_partial_gradients_(running, sums, 4096, 0, 4096)
        mean, rstd = torch.zeros(64, 1), torch.ones(64, 1)
        for mask in ((True, False, False), (True, True, False)):  # there is no weight
            with self.assertRaisesRegex(RuntimeError, "nothing to share"):
                OPERATORS.layer_norm_partial_backward(x, x, (8,), mean, rstd, None, 0, 64, mask)
        made = OPERATORS.layer_norm_partial_backward(x, x, (8,), mean, rstd, None, 0, 64, (True, True, True))
        self.assertEqual([one is None for one in made], [False, True, False])


class ProgramCase(TestCase):
    def output_of(self, *arguments):
        done = subprocess.run([sys.executable, "-W", "ignore", *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Processes(ProgramCase):
    def parameters_after_training(self, *arguments):
        return self.output_of(EXAMPLE, *arguments).split("parameters ")[1]

    def test_any_number_of_them_trains_to_the_same_bits(self):
        results = {self.parameters_after_training("--ranks", ranks) for ranks in ("1", "2", "4")}
        self.assertEqual(len(results), 1, results)

    def test_pytorchs_own_operators_do_not(self):
        self.assertNotEqual(self.parameters_after_training("--plain"), self.parameters_after_training("--plain", "--ranks", "4"))


# What the programs below begin with: start() runs a function of the rank in so many processes of a group.
RANKS = """if True:
    import sys, tempfile, torch, torch.distributed as dist, torch.multiprocessing, jitnorm_torch
    def join(rank, ranks, meeting_point, body):
        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method=meeting_point, rank=rank, world_size=ranks)
        body(rank)
        dist.barrier()
        dist.destroy_process_group()
    def start(ranks, body):
        with tempfile.TemporaryDirectory() as folder:
            arguments = (ranks, f"file://{folder}/meeting", body)
            torch.multiprocessing.start_processes(join, arguments, ranks, start_method="fork")
"""


# Three processes, of which the last two share rows: fails where the gradients have not the bits of one process.
GROUP = RANKS + """
    from jitnorm_torch.distributed import LayerNorm, RMSNorm
    def gradients(model, x, own):
        model(x[own]).pow(3).sum().backward()
        return [p.grad for p in model.parameters()]
    def train(rank):
        group = dist.new_group([1, 2])
        if rank > 0:
            torch.manual_seed(1)
            torch.set_default_dtype(torch.float64)  # float32 would round most of what order changes away
            x, own = torch.randn(4096, 24), slice(2048 * (rank - 1), 2048 * rank)
            for shared, alone in ((LayerNorm, jitnorm_torch.LayerNorm), (RMSNorm, jitnorm_torch.RMSNorm)):
                for a, b in zip(gradients(shared(24, group=group), x, own), gradients(alone(24), x, slice(None))):
                    assert torch.equal(a, b), (rank, shared)
    start(3, train)
"""


# Four processes, which add up sums in both ways: fails where the gradients have not the bits of one process. Prints which
# way is chosen for each case.
WAYS = RANKS + """
    from jitnorm_torch.distributed import Rows
    jitnorm = torch.ops.jitnorm
    def train(rank):
        torch.set_default_dtype(torch.float64)  # float32 would round most of what order changes away
        for of_ranks, columns in (([4096] * 4, 24), ([32, 4064, 0, 96], 23), ([0, 0, 4096, 1], 6), ([32] * 4, 23),
                                  ([32, 0, 32, 32], 2)):
            torch.manual_seed(1)
            x, of_output = torch.randn(2, sum(of_ranks), columns)
            weight, rows = torch.randn(columns), Rows(of_ranks)
            own = slice(rows.first, rows.first + rows.own)
            _, mean, rstd = jitnorm.layer_norm_forward(x, (columns,), weight, weight, 1e-5)
            _, *whole = jitnorm.layer_norm_backward(of_output, x, (columns,), mean, rstd, weight, (False, True, True))
            _, *sums = jitnorm.layer_norm_partial_backward(of_output[own], x[own], (columns,), mean[own], rstd[own], weight,
                                                           rows.first, rows.all, (False, True, True))
            assert sums[0].shape == (rows.rows_of_sums(columns)[rank], columns)
            stacked = torch.stack(sums)
            for got in (rows._in_turns(stacked, torch.float64), rows._by_exchange(stacked, torch.float64),
                        rows.add_up(sums, (columns,), [torch.float64] * 2)):
                for a, b in zip(got, whole):
                    assert torch.equal(a, b), (of_ranks, columns)
            if rank == 0:
                print(rows.exchanges_columns(columns), flush=True)
    start(4, train)
"""


class Groups(ProgramCase):
    def test_ranks_of_a_group_share_rows(self):
        self.output_of("-c", GROUP)

    def test_both_ways_to_add_up_have_the_bits_of_one_process(self):
        self.assertEqual(self.output_of("-c", WAYS).split(), ["False", "False", "False", "True", "True"])


# Ranks with some of the columns each: fails where an output has not the bits of whole rows.
COLUMNS = RANKS + """
    from jitnorm_torch.distributed import Columns, column_layer_norm, column_rms_norm
    columns = [int(word) for word in sys.argv[1:]]
    def normalize(rank):
        share = Columns(columns)
        own = slice(share.first, share.first + share.own)
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
            torch.manual_seed(1)
            x, weight, bias = (torch.randn(*shape, share.all).to(dtype) for shape in ((33, 2), (), ()))
            whole = torch.ops.jitnorm.layer_norm(x, (share.all,), weight, bias)
            assert torch.equal(column_layer_norm(x[..., own], share, weight[own], bias[own]), whole[..., own]), (rank, dtype)
            for plus_one in (False, True):
                whole = torch.ops.jitnorm.rms_norm(x, (share.all,), weight, 1e-5, plus_one)
                assert torch.equal(column_rms_norm(x[..., own], share, weight[own], 1e-5, plus_one), whole[..., own])
        try:
            weight.requires_grad_()
            column_layer_norm(x[..., own], share, weight[own]).sum().backward()
            assert share.own == 0
        except RuntimeError:
            pass
    start(len(columns), normalize)
"""


class ColumnRanks(ProgramCase):
    def test_have_the_bits_of_whole_rows(self):
        for columns in ([4096, 4096], [4096, 8200], [100], [4096, 0, 70]):
            self.output_of("-c", COLUMNS, *columns)

    def test_errors(self):
        x, moments = random((4, 4096)), torch.zeros(4, 1, 4, dtype=torch.float64)
        for wrong in (
            lambda: OPERATORS.chunk_moments(x, 100, 8192, False),  # within a chunk
            lambda: OPERATORS.merge_moments([moments], [8192], torch.float32),
            lambda: OPERATORS.merge_moments([moments.float()], [4096], torch.float32),
            lambda: OPERATORS.merge_moments([moments], [4096, 4096], torch.float32),
            lambda: OPERATORS.layer_norm_partial_forward(x, moments[:3, 0], None, None, 1e-5, 0, 8192),
            lambda: distributed.Columns([4096, 4096]),  # there is one process
            lambda: distributed.column_rms_norm(x, distributed.Columns([8192])),
        ):
            with self.assertRaises((RuntimeError, ValueError)):
                wrong()


# Two processes with half the rows each, by DistributedDataParallel: prints the gradients.
DATA_PARALLEL = RANKS + """
    ranks = int(sys.argv[1])
    def train(rank):
        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.LayerNorm(16), jitnorm_torch.LayerNorm(16))
        x = torch.randn(64, 16)[rank * 64 // ranks : (rank + 1) * 64 // ranks]
        with jitnorm_torch.overridden():
            parallel = torch.nn.parallel.DistributedDataParallel(model)
            parallel(x).pow(3).mean().backward()
        if rank == 0:
            print(*(g for p in model.parameters() for g in p.grad.flatten().tolist()), flush=True)
    start(ranks, train)
"""


class DataParallel(ProgramCase):
    def gradients(self, ranks):
        return torch.tensor([float(word) for word in self.output_of("-c", DATA_PARALLEL, ranks).split()])

    def test_works_unchanged(self):
        one, two = self.gradients(1), self.gradients(2)
        self.assertEqual(len(one), 16 * 17 + 4 * 16)
        self.assert_near(two, one, 1e-5)


if __name__ == "__main__":
    unittest.main()
