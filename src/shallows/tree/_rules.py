"""If-then rules, written by hand or read off a tree."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows.tree._questions import BELOW, EQUALS
from shallows.tree._text import feature_names, path_to

Relation = Literal["=", "!=", "<=", ">"]


class Condition(NamedTuple):
    """What a rule asks of one column, such as ``Condition("color", "=", "red")``.

    Parameters
    ----------
    feature : int or str
        Place or name of the column.
    relation : {"=", "!=", "<=", ">"}
        How its value must relate to the given one.
    value : object
        A category or a number.
    """

    feature: int | str
    relation: Relation
    value: Any

    def holds(self, column: np.ndarray) -> np.ndarray:
        """Tell where it holds; it never does where a value is missing.

        Parameters
        ----------
        column : ndarray of shape (n_samples,)
            Values of the column.

        Returns
        -------
        holds : ndarray of bool of shape (n_samples,)
            One verdict per row.
        """
        known = np.array([value is not None and value == value for value in column], dtype=bool)
        result = np.zeros(len(column), dtype=bool)
        values = column[known]
        if self.relation in ("<=", ">"):
            at_most = values.astype(np.float64) <= self.value
            result[known] = at_most if self.relation == "<=" else ~at_most
        else:
            equal = np.array([value == self.value for value in values], dtype=bool)
            result[known] = equal if self.relation == "=" else ~equal
        return result


class Rule(NamedTuple):
    """If all conditions hold, then the class is `label`.

    Parameters
    ----------
    conditions : tuple of Condition
        What must hold.
    label : object
        The class.
    """

    conditions: tuple[Condition, ...]
    label: Any

    def __str__(self) -> str:
        words = " and ".join(f"{one.feature} {one.relation} {one.value}" for one in self.conditions)
        return f"if {words or 'anything'} then {self.label}"


class RuleClassifier:
    """A list of if-then rules; the first that applies decides.

    Rules state knowledge that need not be learned. They can be read and changed; `read_rules`
    takes them from a tree.

    Parameters
    ----------
    rules : sequence of Rule
        Conditions and the class that follows. Columns are named by place or, for data in a
        frame, by name.
    default : object
        Class of a row to which no rule applies.

    Examples
    --------
    >>> from shallows.tree import Condition, Rule, RuleClassifier
    >>> rule = Rule((Condition(0, "=", 0), Condition(1, "=", 1)), label=1)
    >>> model = RuleClassifier([rule], default=0)
    >>> model.predict([[0, 0], [0, 1], [1, 0], [1, 1]])
    array([0, 1, 0, 0])
    >>> print(model)
    if 0 = 0 and 1 = 1 then 1
    else 0
    """

    def __init__(self, rules, default):
        self.rules = [
            Rule(tuple(Condition(*condition) for condition in conditions), label)
            for conditions, label in rules
        ]
        self.default = default
        for rule in self.rules:
            for condition in rule.conditions:
                if condition.relation not in ("=", "!=", "<=", ">"):
                    raise ValueError(
                        "RuleClassifier: a relation must be '=', '!=', '<=' or '>', "
                        f"got {condition.relation!r}."
                    )

    def predict(self, X):
        """Return the class that the first applying rule gives to each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples; a missing value fulfils no condition.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Class labels.
        """
        answers = np.array([rule.label for rule in self.rules] + [self.default])
        return answers[self.rule_of(X)]

    def rule_of(self, X):
        """Return the number of the rule that decides each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        numbers : ndarray of shape (n_samples,)
            Places in `rules`, or their number where the default decides.
        """
        columns: dict[int | str, np.ndarray] = {}
        table = X if hasattr(X, "iloc") else np.asarray(X, dtype=object)
        numbers = np.full(len(table), len(self.rules))
        undecided = np.ones(len(table), dtype=bool)
        for number, rule in enumerate(self.rules):
            applies = undecided.copy()
            for condition in rule.conditions:
                if condition.feature not in columns:
                    columns[condition.feature] = self._column(table, condition.feature)
                applies[applies] = condition.holds(columns[condition.feature][applies])
            numbers[applies] = number
            undecided &= ~applies
        return numbers

    def _column(self, table, feature):
        if hasattr(table, "iloc"):
            named = isinstance(feature, str)
            if named and feature not in table.columns:
                raise ValueError(
                    f"RuleClassifier: a rule asks for column {feature!r}; the columns are "
                    f"{', '.join(map(str, table.columns))}."
                )
            return np.asarray(table[feature] if named else table.iloc[:, feature], dtype=object)
        if isinstance(feature, str) or not 0 <= feature < table.shape[1]:
            raise ValueError(
                f"RuleClassifier: a rule asks for column {feature!r}, but X is an array with "
                f"{table.shape[1]} columns without names."
            )
        return table[:, feature]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rules), f"else {self.default}"])


def read_rules(tree) -> RuleClassifier:
    """Return one rule for each leaf of a tree.

    The rules decide complete rows exactly as the tree does. Of several bounds on one number only
    the closest stays.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        A fitted tree. Columns are named as in its training data, or by place.

    Returns
    -------
    rules : RuleClassifier
        The rules from left to right; its default is the class of the root.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.tree import DecisionTreeClassifier, read_rules
    >>> X, y = load_iris(as_frame=True, return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[["petal width (cm)"]], y)
    >>> print(read_rules(model).rules[0])
    if petal width (cm) <= 0.8 then 0
    """
    check_is_fitted(tree)
    grown, parents = tree.tree_, tree.tree_.parent
    labels = tree.classes_[grown.answer.argmax(axis=1)].tolist()
    rules = []
    for leaf in _from_left_to_right(grown):
        kept: dict[tuple, Condition] = {}
        for node, branch in path_to(grown, leaf, parents):
            condition = _condition(tree, node, branch)
            bound = condition.relation in ("<=", ">")
            kept[(*condition[:2], None if bound else condition.value)] = condition
        rules.append(Rule(tuple(kept.values()), labels[leaf]))
    return RuleClassifier(rules, labels[0])


def _from_left_to_right(grown):
    stack, leaves = [0], []
    while stack:
        node = stack.pop()
        first, number = int(grown.first[node]), int(grown.branches[node])
        stack += range(first + number - 1, first - 1, -1)
        if not number:
            leaves.append(node)
    return leaves


def _condition(tree, node, branch):
    grown = tree.tree_
    place, threshold = int(grown.feature[node]), float(grown.threshold[node])
    feature = feature_names(tree)[place] if hasattr(tree, "feature_names_in_") else place
    if grown.question[node] == BELOW:
        return Condition(feature, "<=" if branch == 0 else ">", threshold)
    if grown.question[node] == EQUALS:
        value = tree.categories_[place][int(threshold)]
        return Condition(feature, "=" if branch == 0 else "!=", value)
    return Condition(feature, "=", tree.categories_[place][branch])
