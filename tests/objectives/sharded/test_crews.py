"""Whoever computes, the point is the same to the last bit: one process, several, a cluster, and after a worker was killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from traceback import walk_stack
from typing import Any

import numpy as np
import pytest
from pieces import Files, Pieces
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.remote.executors import Serial, partitions_of
from greedyhull.types import Shard

SFW, RSFW = gh.StochasticFrankWolfe, gh.RegularizedStochasticFrankWolfe
SOLVERS = [gh.Corrective(), gh.Corrective(batch=1), gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.FrankWolfe(gh.Short()),
           gh.FrankWolfe(gh.Backtracking()), gh.BlendedPairwise(), gh.AwayStep(), gh.Pairwise(), gh.DecompositionInvariant(),
           gh.BlockCoordinate(), gh.Jones(), gh.Jones(gh.OpenLoop()), gh.PairwiseJones(), gh.Mixed(), gh.Aggregated(), SFW(),
           SFW(look=gh.MinibatchGap(2)), SFW(look=gh.Regret()), SFW.momentum(), SFW.storm(), SFW.spider(), SFW.svrf(),
           SFW.svfw(20), gh.StochasticJones(), gh.StochasticJones.growing(1.0, 1.0), gh.VarianceReducedJones(), gh.Storc(),
           gh.MoreauFrankWolfe(), RSFW(), RSFW.fading(), RSFW.fixed(9)]
SETS: dict[type, Any] = {gh.DecompositionInvariant: gh.Simplex(8),
                         gh.BlockCoordinate: gh.Product(gh.L1Ball(4, 1.0), gh.Simplex(4))}
REFUSED = {SFW.saga(): "is enough for linear models only", SFW.dual(): "is enough for linear models only",
           gh.LuFreund(2): "is enough for linear models only", gh.Smoothed(): "has none that it knows of"}
CUTS = [50, 50]


class Deadly(Files):
    """Files whose loader kills its own process, with signal 9, where it finds a fuse: once, and only one process."""

    def load(self, k: int) -> Shard:
        with suppress(FileNotFoundError):
            callers = [frame.f_code.co_name for frame, _ in walk_stack(None)]
            name = f"died {os.getpid()} {k} {'task' if 'work' in callers else 'elsewhere'}"
            Path(self.folder, "fuse").rename(Path(self.folder, name))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().load(k)


@pytest.fixture(scope="module")
def team() -> Any:
    with gh.processes(2) as crew:
        yield crew


@pytest.fixture(scope="module")
def dask() -> Any:
    with gh.cluster(workers=2) as crew:
        yield crew


def solved(f: Any, solver: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gh.GreedyhullWarning)
        return gh.minimize(f, SETS.get(type(solver), gh.L1Ball(8, 1.5)), solver, stop=gh.Relative(1e-9) | gh.Iterations(5))


@pytest.mark.parametrize(("solver", "make"), [(solver, gh.logistic) for solver in SOLVERS] +
                         [(solver, gh.least_squares) for solver in SOLVERS[::4]],
                         ids=lambda one: one.__name__ if callable(one) else repr(one))
def test_every_crew_gives_the_same_point(solver, make, table, team, dask):
    X, y, s = table
    f = make(Pieces(X, y, CUTS, s))
    alone = solved(f, solver)
    for crew in (team, dask):
        other = solved(f.on(crew), solver)
        assert other.x.tobytes() == alone.x.tobytes() and other.value == alone.value and other.gap == alone.gap


@pytest.mark.parametrize("solver", REFUSED, ids=repr)
def test_solvers_that_cannot_run_there_say_why(solver, table):
    X, y, s = table
    with pytest.raises(gh.GreedyhullError, match=REFUSED[solver]):
        solved(gh.logistic(Pieces(X, y, CUTS, s)), solver)


@pytest.mark.parametrize("crew", ["team", "dask"])
def test_a_worker_that_is_killed_changes_nothing(crew, table, tmp_path, request):
    """Signal 9, in the middle of a task of the trips 1 to 5; another worker loads the shards again."""
    X, y, _ = table
    workers: Any = request.getfixturevalue(crew)
    S, stop = gh.L1Ball(8, 2.0), gh.Relative(1e-9)
    plain = Files.written(tmp_path, X, y, [30, 60])
    alone = gh.minimize(gh.logistic(plain), S, stop=stop)
    gh.minimize(gh.logistic(plain).on(workers), S, stop=gh.Iterations(0))  # they have started
    for trip in range(1, 6):
        folder = tmp_path / str(trip)
        folder.mkdir()
        data = Deadly.written(folder, X, y, [30, 60])
        f = gh.logistic(data).on(_Lighting(workers, folder / "fuse", trip))
        codes = {worker.process.pid: worker.process for worker in workers._team if worker} if crew == "team" else {}
        s = gh.minimize(f, S, stop=stop)
        assert s.x.tobytes() == alone.x.tobytes() and s.value == alone.value and s.gap == alone.gap
        (died,) = folder.glob("died *")
        pid, k, where = int(died.name.split()[1]), int(died.name.split()[2]), died.name.split()[3]
        assert where == "task"  # signal 9 came within one
        with pytest.raises(OSError):
            os.kill(pid, 0)
        if crew == "team":
            assert codes[pid].exitcode == -signal.SIGKILL
        assert k in {shard for other, shard in data.loads() if other != pid}  # another process has loaded it
        assert f.trips >= 5


def test_workers_that_dask_gave_up_are_started_again(table, tmp_path):
    """Dask closes what it has to restart workers with where one is not back in time, as on a busy machine."""
    import dask.config

    X, y, _ = table
    S, stop = gh.L1Ball(8, 2.0), gh.Relative(1e-9)
    alone = gh.minimize(gh.logistic(Files.written(tmp_path, X, y, [30, 60])), S, stop=stop)
    with gh.cluster(workers=1) as crew, dask.config.set({"distributed.deploy.lost-worker-timeout": 0}):
        nannies = list(crew._local.workers.values())
        data = Deadly.written(tmp_path, X, y, [30, 60])
        s = gh.minimize(gh.logistic(data).on(_Lighting(crew, tmp_path / "fuse", 2)), S, stop=stop)
        assert s.x.tobytes() == alone.x.tobytes() and len(list(tmp_path.glob("died *"))) == 1
        assert not set(nannies) & set(crew._local.workers.values())


class _Lighting:
    """A crew that lights the fuse before the given trip, and lets nobody answer from memory there."""

    def __init__(self, crew: Any, fuse: Path, trip: int) -> None:
        self.crew, self.fuse, self.trip, self.workers, self.count = crew, fuse, trip, crew.workers, 0

    def map(self, task: Any, bundles: Any) -> Any:
        from dataclasses import replace

        self.count += 1
        if self.count == self.trip:
            self.fuse.touch()
            task = replace(task, part=replace(task.part, token="again"))
        return self.crew.map(task, bundles)


def test_shards_that_kill_every_worker_are_told_of(table, tmp_path):
    X, y, _ = table

    with gh.processes(1) as crew, pytest.raises(gh.GreedyhullError, match="worker processes died over the same shards"):
        gh.minimize(gh.logistic(Killing.written(tmp_path, X, y, [30])).on(crew), gh.L1Ball(8, 2.0))
    assert crew.deaths == 4


def test_shards_that_kill_every_dask_worker_are_told_of(table, tmp_path, dask):
    X, y, _ = table
    with pytest.raises(gh.GreedyhullError, match="Several Dask workers died over the same shards"):
        gh.minimize(gh.logistic(Killing.written(tmp_path, X, y, [30])).on(dask), gh.L1Ball(8, 2.0))


def test_a_module_that_workers_do_not_have_is_named(tmp_path, monkeypatch):
    (tmp_path / "known_here_only.py").write_text("def load(k):\n    return [[1.0, 2.0]], [1.0]\n")
    with gh.cluster(workers=1) as own:  # workers that another test had restarted would have the module
        monkeypatch.syspath_prepend(tmp_path)  # the worker has started
        from known_here_only import load  # type: ignore[import-not-found]

        with pytest.raises(gh.GreedyhullError, match=r"cannot import .*No module named 'known_here_only'.* Install that"):
            gh.minimize(gh.logistic(gh.shards(load, count=2)).on(own), gh.L1Ball(2, 1.0))


class Killing(Files):
    def load(self, k: int) -> Shard:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_errors_of_workers_reach_the_caller(table, team, dask):
    X, y, _ = table
    X = X.copy()
    X[70, 2] = np.nan
    for crew in (team, dask):
        with pytest.raises(gh.GreedyhullError, match="piece 2 holds nan in row 20, column 2"):
            gh.minimize(gh.logistic(Pieces(X, y, CUTS)).on(crew), gh.L1Ball(8, 2.0))


def test_loaders_that_cannot_be_sent_are_told_of(table, team):
    X, y, _ = table
    data = Pieces(X, y, CUTS)
    data.hidden = lambda: None  # type: ignore[attr-defined]
    assert gh.minimize(gh.logistic(data), gh.L1Ball(8, 2.0)).converged
    with pytest.raises(gh.GreedyhullError, match="cannot be sent to other processes"):
        gh.minimize(gh.logistic(data).on(team), gh.L1Ball(8, 2.0))


def test_processes_end_with_their_block_and_say_so(table):
    X, y, _ = table
    with gh.processes(1) as crew:
        f = gh.logistic(Pieces(X, y, CUTS)).on(crew)
        gh.minimize(f, gh.L1Ball(8, 2.0), stop=gh.Iterations(1))
        (pid,) = crew.pids
    with pytest.raises(OSError):
        os.kill(pid, 0)
    with pytest.raises(gh.GreedyhullError, match="have ended"):
        gh.minimize(f, gh.L1Ball(8, 1.0))


def test_workers_survive_ctrl_c(table, team):
    X, y, _ = table
    f = gh.logistic(Pieces(X, y, CUTS)).on(team)
    gh.minimize(f, gh.L1Ball(8, 2.0), stop=gh.Iterations(1))
    pids = team.pids
    for pid in pids:
        os.kill(pid, signal.SIGINT)
    assert gh.minimize(f, gh.L1Ball(8, 2.0)).converged and team.pids == pids


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", True])
def test_odd_numbers_of_processes_are_refused(n):
    with pytest.raises(gh.GreedyhullError, match="must be a positive integer"):
        gh.processes(n)


def test_a_cluster_stays_on_this_machine(dask):
    import distributed

    client: distributed.Client = dask._client
    addresses = [client.scheduler.address, *client.scheduler_info(n_workers=-1)["workers"]]
    assert all(address.startswith("tcp://127.0.0.1:") for address in addresses)
    assert dask.dashboard.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("terminal", [True, False])
def test_the_dashboard_is_shown_where_a_terminal_watches(terminal, monkeypatch, capsys):
    from greedyhull.remote import cluster

    crew = type("Crew", (), {"dashboard": "http://127.0.0.1:1/status"})()
    monkeypatch.setattr(cluster, "joined", lambda address, workers: crew)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert gh.cluster(workers=2) is crew
    said = capsys.readouterr()
    assert said.out == "" and said.err == ("Dask dashboard: http://127.0.0.1:1/status\n" if terminal else "")


def test_a_scheduler_that_cannot_be_reached_is_named(monkeypatch):
    from greedyhull.remote import cluster

    monkeypatch.setattr(cluster, "REACHED_IN", 0.3)
    with pytest.raises(gh.GreedyhullError, match=r"answered at tcp://127.0.0.1:9 within 0.3 s"):
        gh.cluster("tcp://127.0.0.1:9")
    with pytest.raises(gh.GreedyhullError, match="Give one of them"):
        gh.cluster("tcp://127.0.0.1:9", workers=2)


def test_other_versions_on_workers_are_refused(dask, monkeypatch):
    from greedyhull.remote import cluster

    theirs = dict(cluster._versions(), numpy="1.0")
    monkeypatch.setattr(dask._client, "run", lambda _: {"tcp://127.0.0.1:1": theirs})
    with pytest.raises(gh.GreedyhullError, match=r"127.0.0.1:1 has numpy 1.0, and this process has"):
        dask._check_versions()


@pytest.mark.parametrize(("rows", "workers", "wanted"), [
    ([1], 4, [range(0, 1)]),
    ([0, 0, 0], 2, [range(0, 1), range(1, 3)]),
    ([100, 1, 1], 2, [range(0, 1), range(1, 3)]),
    ([10] * 6, 3, [range(0, 2), range(2, 4), range(4, 6)]),
])
def test_bundles_are_neighbours_with_about_as_many_rows(rows, workers, wanted):
    assert partitions_of(np.array(rows), workers) == wanted


def test_zeros_of_a_point_are_not_sent(team):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5000))
    f = gh.logistic(Pieces(X, np.sign(X[:, 0]), CUTS)).on(team)
    assert f.summary.n == 60
    before, sent = f.trips, team.sent
    s = gh.minimize(f, gh.L1Ball(5000, 1.0), gh.Corrective(batch=2), stop=gh.Iterations(3))
    a_trip = (team.sent - sent) / (f.trips - before)
    data = 2 * X.nbytes + 10_000  # this loader holds its rows: they go to both workers, once a task
    assert s.iterations == 3 and a_trip - data < 20_000 < 2 * 8 * 5000


def test_a_task_arrives_as_it_was_sent():
    import pickle

    from greedyhull.remote.tasks import Expand

    for x in (np.zeros(100), np.eye(1, 200, 7)[0], np.arange(100.0), -np.zeros(300), np.ones(3)):
        task = pickle.loads(pickle.dumps(Expand(None, x, 0.5, True, steps=x)))  # type: ignore[arg-type]
        assert task.x.tobytes() == x.tobytes() == task.steps.tobytes() and task.b == 0.5 and not task.together


def test_large_sums_are_added_by_bundle(table, team, monkeypatch):
    from greedyhull.remote import executors as trip

    X, y, _ = table
    f = gh.logistic(Pieces(X, y, CUTS))
    alone = solved(f, gh.Corrective())
    monkeypatch.setattr(trip, "LARGEST", 0)
    other = solved(f.on(team), gh.Corrective())
    assert other.value == pytest.approx(alone.value, rel=1e-9)


@pytest.mark.parametrize("bundles", [2, 3, 5])
def test_very_large_sums_go_up_a_tree(bundles, table, dask, monkeypatch):
    """Pairs of bundles are added by the workers, and one sum comes back: the one of the same tree here."""
    from greedyhull.remote import executors as trip
    from greedyhull.remote.worker import added, work

    X, y, s = table
    monkeypatch.setattr(trip, "LARGEST", 0)
    monkeypatch.setattr(dask, "workers", bundles)
    f = gh.logistic(Pieces(X, y, [10, 30, 55, 60, 80], s), intercept=True)
    came: list[int] = []

    class Tree:
        workers = bundles

        def map(self, task: Any, parts: Any) -> Any:
            level = [work(task, part)[0] for part in parts]
            while len(level) > 1:
                level = [added(level[i : i + 2]) for i in range(0, len(level), 2)]
            return level

    class Watching:
        workers = bundles

        def map(self, task: Any, parts: Any) -> Any:
            found = dask.map(task, parts)
            came.append(len(found))
            return found

    here, there = solved(f.on(Tree()), gh.Corrective()), solved(f.on(Watching()), gh.Corrective())
    assert there.x.tobytes() == here.x.tobytes() and there.gap == here.gap and set(came) == {1}
    assert there.value == pytest.approx(solved(f, gh.Corrective()).value, rel=1e-9)


def deadly_both(fuse: str, left: Any, right: Any) -> Any:
    from greedyhull.remote.worker import both

    with suppress(FileNotFoundError):
        Path(fuse).unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return both(left, right)


def test_a_worker_that_dies_while_it_adds_changes_nothing(table, dask, monkeypatch, tmp_path):
    from functools import partial

    from greedyhull.remote import cluster
    from greedyhull.remote import executors as trip

    X, y, _ = table
    monkeypatch.setattr(trip, "LARGEST", 0)
    monkeypatch.setattr(dask, "workers", 3)
    f = gh.logistic(Pieces(X, y, [10, 55])).on(dask)
    x, fuse = np.linspace(-0.5, 0.5, 8), tmp_path / "fuse"
    whole = f.expansion(x, None)
    monkeypatch.setattr(cluster, "both", partial(deadly_both, str(fuse)))
    fuse.touch()
    again = f.on(dask).expansion(x, None)
    assert not fuse.exists() and again.value == whole.value and again.gradient.tobytes() == whole.gradient.tobytes()


class _Counting:
    """A crew that calls a function before the given trip."""

    def __init__(self, crew: Any, trip: int, then: Any) -> None:
        self.crew, self.workers, self.trip, self.then, self.count = crew, crew.workers, trip, then, 0

    def map(self, task: Any, bundles: Any) -> Any:
        self.count += 1
        if self.count == self.trip:
            self.then()
        return self.crew.map(task, bundles)


def test_a_scheduler_that_is_killed_is_told_of_and_the_run_goes_on_without_it(table, tmp_path):
    """Signal 9 for a `dask scheduler`; from the state that was saved, this process alone comes to the same end."""
    X, y, _ = table
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
             "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "30s"}
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": place, "cwd": tmp_path}
    address = f"tcp://127.0.0.1:{free_port()}"
    start = lambda name, *options: subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{name}", *options,
                                                     "--no-dashboard"], **quiet)
    scheduler = start("scheduler", "--host", address)
    worker = start("worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "30")
    S, stop, run = gh.L1Ball(8, 2.0), gh.Relative(1e-10), tmp_path / "run"
    f = gh.logistic(Files.written(tmp_path, X, y, [30, 60]))
    try:
        with gh.cluster(address) as crew, pytest.raises(gh.GreedyhullError, match="scheduler is gone"):
            gh.minimize(f.on(_Counting(crew, 4, scheduler.kill)), S, stop=stop, checkpoint=f"{run}/")
        assert scheduler.wait(10) == -signal.SIGKILL
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert list(run.glob("state-*.npz"))
    rest, whole = gh.minimize(f, S, stop=stop, resume=f"{run}/"), gh.minimize(f, S, stop=stop)
    assert rest.x.tobytes() == whole.x.tobytes() and rest.gap == whole.gap and rest.iterations == whole.iterations


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@pytest.mark.parametrize("crew", ["team", "dask"])
def test_ctrl_c_returns_the_certified_point_so_far_and_workers_go_on(crew, table, request):
    X, y, _ = table
    S, workers = gh.L1Ball(8, 2.0), request.getfixturevalue(crew)
    f = gh.logistic(Pieces(X, y, CUTS)).on(workers)

    def press(event: gh.Solution) -> None:
        if event.seconds > 0.2:  # the run listens by then
            signal.raise_signal(signal.SIGINT)

    s = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(10**7), watch=press)
    assert s.reason.startswith("Interrupted") and s.gap is not None
    best = gh.minimize(gh.logistic(X, y), S, stop=gh.Relative(1e-10)).value
    assert s.value - best <= s.gap
    assert gh.minimize(f, S, stop=gh.Relative(1e-9)).converged  # by the same workers


class Moody(Pieces):
    """Shards that are other ones from the second pass on."""

    how = ""

    def load(self, k: int) -> Any:
        shard = super().load(k)
        if self.loads <= 3 or k != 2:
            return shard
        n = len(shard)
        return {"fewer": Shard(shard.X[:-1], shard.y[:-1]), "wider": Shard(np.hstack([shard.X, shard.X]), shard.y),
                "other": Shard(shard.X + 1.0, shard.y), "targets": Shard(shard.X, 2.0 * shard.y),
                "weights": Shard(shard.X, shard.y, np.full(n, 2.0)), "none": None, "list": Shard(shard.X.tolist(), shard.y),
                "sparse": Shard(csr_array(shard.X), shard.y)}[self.how]


@pytest.mark.parametrize("how", ["fewer", "wider", "other", "targets", "weights", "none", "list", "sparse"])
def test_a_loader_that_returns_other_data_the_second_time_is_told_of(how, table):
    X, y, _ = table
    data = Moody(X, y, CUTS)
    data.how = how
    f = gh.logistic(data).on(Serial(room=0))
    with pytest.raises(gh.GreedyhullError, match=r"piece 2 was loaded again, and is another|returned a NoneType for piece 2"):
        gh.minimize(f, gh.L1Ball(8, 2.0))


@pytest.mark.parametrize("make", [csr_array, lambda X: csr_array(X).tocsc(), lambda X: csr_array(X).tocoo(), np.asfortranarray,
                                  lambda X: X.astype(np.float32)], ids=["csr", "csc", "coo", "columns first", "float32"])
def test_data_that_are_the_same_are_not_complained_of(make, table):
    X, y, s = table
    f = gh.logistic(Converted(X, y, CUTS, s, make)).on(Serial(room=0))
    assert gh.minimize(f, gh.L1Ball(8, 2.0)).converged and f.trips > 2


class Converted(Pieces):
    def __init__(self, X: Any, y: Any, cuts: list[int], s: Any, make: Any) -> None:
        super().__init__(X, y, cuts, s)
        self.make = make

    def load(self, k: int) -> Shard:
        shard = super().load(k)
        return Shard(self.make(shard.X), shard.y, shard.sample_weight)


class Leaving(Files):
    def load(self, k: int) -> Shard:
        sys.exit(3)


def test_the_exit_code_of_workers_that_end_by_themselves_is_theirs(table, tmp_path, monkeypatch):
    X, y, _ = table
    monkeypatch.setattr("greedyhull.remote.executors.DEATHS", 0)
    with gh.processes(1) as crew, pytest.raises(gh.GreedyhullError, match="the last one with exit code 3"):
        gh.minimize(gh.logistic(Leaving.written(tmp_path, X, y, [30])).on(crew), gh.L1Ball(8, 2.0))


class Rewritten(Files):
    """Files whose marks do not tell that they were rewritten, as with a loader of one's own."""

    def mark(self, k: int) -> str:
        return str(k)


@pytest.mark.parametrize("what", ["X1.npy", "y1.npy"])
def test_a_shard_that_changes_between_two_workers_is_named_and_the_last_state_stays(what, table, tmp_path):
    """The worker that held it dies; the one in its place loads other rows than the first pass saw."""
    X, y, _ = table
    data, folder = Rewritten.written(tmp_path, X, y, [30, 60]), tmp_path / "run"
    S, solver, stop = gh.L1Ball(8, 2.0), gh.Corrective(batch=1, steps=1), gh.Relative(1e-9)
    whole = gh.minimize(gh.logistic(data), S, solver, stop=stop)
    gh.minimize(gh.logistic(data), S, solver, stop=gh.Iterations(2), checkpoint=folder)
    before = (tmp_path / what).read_bytes()

    def change(event: Any) -> None:
        if event.iteration == 3:
            array = np.load(tmp_path / what)
            array[-1] = -array[-1]  # the labels stay labels
            np.save(tmp_path / "other.npy", array)
            (tmp_path / "other.npy").rename(tmp_path / what)  # those who have mapped the old file keep it
            for pid in crew.pids:
                os.kill(pid, signal.SIGKILL)

    with gh.processes(2) as crew, pytest.raises(gh.GreedyhullError, match=r"X1.npy was loaded again, and is another one"):
        gh.minimize(gh.logistic(data).on(crew), S, solver, stop=stop, watch=change, resume=folder, checkpoint=folder)
    (tmp_path / what).write_bytes(before)
    rest = gh.minimize(gh.logistic(data), S, solver, stop=stop, resume=folder)
    assert rest.x.tobytes() == whole.x.tobytes() and rest.gap == whole.gap


def test_a_script_that_starts_a_cluster_without_a_guard_gets_words(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text("import greedyhull as gh\nwith gh.cluster(workers=1) as crew:\n    print(crew.workers)\n")
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert ended.returncode == 1 and ended.stdout == ""
    assert 'has to guard its code by `if __name__ == "__main__":`.' in ended.stderr.strip().splitlines()[-1]
