"""What to fit next: the largest expected gain per second, or without a budget round by round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shallows.study._budget import Budget
from shallows.study._fits import Entry
from shallows.study._journal import Evaluation
from shallows.study._portfolio import place_of, seconds_of
from shallows.study._rungs import Rung

Results = dict[tuple[tuple[str, str], int], Evaluation]
Loss = Callable[[int, Evaluation], float]

KEPT_SETTINGS, MOST_KEPT = 1 / 3, 12  # of the settings of a method; of all entries
SCALE = 0.05  # regret, as a share of what the best gains over a constant, that halves hope
GAMMA = 0.6  # how much seconds weigh against hope
POWERS = (0.6, 2.6)  # of the number of rows, with which times may grow
TYPICAL_ROWS = 1500  # to which the times of the portfolio belong


class Schedule:
    """Wishes of a search, one after the other; it learns from what comes back.

    Without a budget a rung is done when all its entries are, so that the order in which results
    come in, and with it the number of workers, does not matter. With a budget the next wish is
    the entry and rung with the largest hope per second. Hope in an entry that has not been tried
    falls with its place in the portfolio, that in another with its regret on the last rung.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        rungs: Sequence[Rung],
        task: str,
        loss: Loss,
        budget: Budget,
        n_rows: int,
        jobs: int,
    ):
        self._rungs, self._loss, self._budget = rungs, loss, budget
        self._n_rows, self._jobs, self._task = n_rows, jobs, task
        first = [entry for entry in entries if entry.is_constant]
        rest = [entry for entry in entries if not entry.is_constant]
        place = {e.key: place_of(task, e.candidate.name, e.setting) for e in rest}
        self._entries = first + sorted(rest, key=lambda entry: place[entry.key])
        self._place = {entry.key: i for i, entry in enumerate(self._entries)}
        self._losses: dict[tuple[tuple[str, str], int], float] = {}
        self._seconds: dict[tuple[tuple[str, str], int], float] = {}
        self._asked: set[tuple[tuple[str, str], int]] = set()
        self._round = 0
        self._alive = list(self._entries)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to wish for."""
        if self._budget.is_limited:
            return not any(self._wishes(checked=False))
        return self._round >= len(self._rungs)

    def next(self, busy: bool) -> tuple[Entry, int] | None:
        """Return what to evaluate next; `busy` says that something is at work."""
        wish = self._best_wish() if self._budget.is_limited else self._next_of_round(busy)
        if wish is not None:
            self._asked.add((wish[0].key, wish[1]))
        return wish

    def learn(self, entry: Entry, rung: int, found: Evaluation) -> None:
        """Take note of an evaluation."""
        self._asked.add((entry.key, rung))
        self._losses[entry.key, rung] = self._loss(rung, found)
        self._seconds[entry.key, rung] = found.seconds / len(self._rungs[rung].splits)

    def place(self, entry: Entry) -> int:
        """Return the place of an entry in the portfolio."""
        return self._place[entry.key]

    def reserve(self) -> float:
        """Return seconds to keep for fitting the choice: to training rows and to all rows."""
        if not self._budget.is_limited:
            return 0.0
        best = self._leaders(4)
        fits = 2.3 * sum(self.foreseen(entry, self._n_rows) for entry in best)
        least = max((self.foreseen(entry, self._n_rows) for entry in best[:1]), default=0.0)
        return float(min(max(fits / self._jobs, least), self._budget.share(0.3)))

    def foreseen(self, entry: Entry, rows: float) -> float:
        """Return the seconds of one fit to a number of rows."""
        seen = [
            (self._rungs[rung].rows, seconds)
            for (key, rung), seconds in self._seconds.items()
            if key == entry.key and seconds > 0
        ]
        if not seen:
            typical = seconds_of(self._task, entry.candidate.name, entry.setting)
            return typical * self._pace() * (rows / TYPICAL_ROWS) ** 0.9
        seen.sort()
        size, seconds = seen[-1]
        power = 1.0
        if size > 1.5 * seen[0][0]:
            power = float(np.log(seconds / seen[0][1]) / np.log(size / seen[0][0]))
        return float(seconds * (rows / size) ** np.clip(power, *POWERS))

    def _pace(self) -> float:
        """Return how much longer fits take here than the portfolio says."""
        found = []
        for (key, rung), seconds in self._seconds.items():
            entry = self._entries[self._place[key]]
            typical = seconds_of(self._task, entry.candidate.name, entry.setting)
            found.append(seconds / (typical * (self._rungs[rung].rows / TYPICAL_ROWS) ** 0.9))
        return float(np.clip(np.median(found), 0.1, 10.0)) if len(found) > 2 else 1.0

    def _leaders(self, most: int) -> list[Entry]:
        """Return the best entries of the deepest rung that several have reached."""
        for rung in reversed(range(len(self._rungs))):
            loss = {e.key: self._losses.get((e.key, rung), np.inf) for e in self._entries}
            reached = [entry for entry in self._entries if np.isfinite(loss[entry.key])]
            if sum(not entry.is_constant for entry in reached) >= min(2, len(self._entries) - 1):
                return sorted(reached, key=lambda entry: loss[entry.key])[:most]
        return []

    def _best_wish(self) -> tuple[Entry, int] | None:
        return max(self._wishes(), key=lambda wish: wish[0], default=(0.0, None))[1]

    def _wishes(self, checked: bool = True):  # type: ignore[no-untyped-def]
        """Yield hope per second with entry and rung; only what can end in time if `checked`."""
        left = self._budget.left_to_search - self.reserve() if checked else np.inf
        for entry in self._entries:
            rung = self._next_rung(entry)
            if rung is None:
                continue
            hope = self._hope(entry, rung)
            if hope <= 0:
                continue
            rounds = -(-len(self._rungs[rung].splits) // self._jobs)
            fit = self.foreseen(entry, self._rungs[rung].rows)
            whole = self.foreseen(entry, self._n_rows)
            if checked and (1.2 * rounds * fit > left or whole > self._budget.share(0.25)):
                continue
            yield hope / (rounds * fit + 0.02) ** GAMMA, (entry, rung)

    def _next_rung(self, entry: Entry) -> int | None:
        """Return the first rung for which an entry was not asked, None while it is at work."""
        for rung in range(len(self._rungs)):
            key = entry.key, rung
            if key not in self._asked:
                too_many = self._rungs[rung].rows > 1.01 * entry.candidate.most_rows
                return None if too_many and self._has_been(entry) else rung
            if not np.isfinite(self._losses.get(key, np.inf)):
                return None
        return None

    def _has_been(self, entry: Entry) -> bool:
        return any(key == entry.key for key, _ in self._asked)

    def _hope(self, entry: Entry, rung: int) -> float:
        """Return what an evaluation may be worth, between 0 and about 10."""
        if entry.is_constant:
            return 1e6
        if rung == 0:
            tried = [
                loss for (key, r), loss in self._losses.items() if r == 0 and key[0] == entry.key[0]
            ]
            family = self._quality(min(tried), 0) if tried else 1.0
            return (0.15 + 0.85 * family) / (1.0 + self._place[entry.key] / 6.0)
        quality = self._quality(self._losses[entry.key, rung - 1], rung - 1)
        if quality < 0.02:
            return 0.0
        pioneers = sum(r == rung and not np.isinf(loss) for (_, r), loss in self._losses.items())
        if rung > self._first_whole:
            # A repetition makes the comparison of the best more certain, and nothing better.
            return 0.3 * quality if rung > self._all_folds else 3.0 * quality
        return (6.0 if pioneers < 3 else 2.0) * quality

    def _quality(self, loss: float, rung: int) -> float:
        """Return 1 for the best of a rung, half for a regret of `SCALE`, 0 for a constant."""
        losses = [value for (_, r), value in self._losses.items() if r == rung]
        best, constant = min(losses), self._losses.get((self._entries[0].key, rung), max(losses))
        if loss <= best or constant <= best:
            return 1.0
        return float(0.5 ** ((loss - best) / (SCALE * (constant - best))))

    @property
    def _first_whole(self) -> int:
        return next(i for i, rung in enumerate(self._rungs) if rung.full)

    @property
    def _all_folds(self) -> int:
        return next(i for i, rung in enumerate(self._rungs) if rung.title == "all rows")

    def _next_of_round(self, busy: bool) -> tuple[Entry, int] | None:
        """Return the next entry of this rung; begin the next rung when all have come back."""
        while self._round < len(self._rungs):
            for entry in self._alive:
                if (entry.key, self._round) not in self._asked:
                    return entry, self._round
            if busy:
                return None
            self._alive = self._survivors()
            self._round += 1
            if not any(not entry.is_constant for entry in self._alive):
                self._round = len(self._rungs)
        return None

    def _survivors(self) -> list[Entry]:
        """Keep the better settings of each method, and the better methods."""
        rung = self._round
        loss = {e.key: self._losses[e.key, rung] for e in self._alive}
        found = [e for e in self._alive if np.isfinite(loss[e.key])]
        after = self._rungs[rung + 1].rows if rung + 1 < len(self._rungs) else 0
        able = [e for e in found if after <= 1.01 * e.candidate.most_rows]
        kept: set[tuple[str, str]] = set()
        for name in dict.fromkeys(entry.candidate.name for entry in able):
            own = sorted((e for e in able if e.candidate.name == name), key=lambda e: loss[e.key])
            last = rung >= self._all_folds
            kept |= {e.key for e in own[: 1 if last else max(1, round(len(own) * KEPT_SETTINGS))]}
        best = sorted(kept, key=lambda key: loss[key])[: MOST_KEPT if rung < self._all_folds else 6]
        return [e for e in able if e.key in best or e.is_constant]
