"""A figure together with its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shallows._core.showing.figures import Figure


@dataclass(frozen=True)
class Drawing:
    """Rows and the figure that shows them.

    Parameters
    ----------
    rows : list of dict
        What is drawn, one dict per row.
    figure : Figure
        How it is drawn.

    Examples
    --------
    >>> from shallows.lab import Drawing, scatter
    >>> Drawing([{"x": 1.0, "y": 2.0}], scatter("x", "y")).spec()["data"]
    {'values': [{'x': 1.0, 'y': 2.0}]}
    """

    rows: list[dict[str, Any]]
    figure: Figure

    def spec(self) -> dict[str, Any]:
        """Return the Vega-Lite specification, for `figure_png`, `figure_svg` or a notebook.

        Returns
        -------
        spec : dict
            Specification with the rows inside.
        """
        return self.figure.spec(self.rows)
