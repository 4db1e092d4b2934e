"""Signals: adaptive filters, prediction from windows, and reservoirs."""

from shallows.signal import state_space
from shallows.signal._cancel_noise import cancel_noise
from shallows.signal._correlation import correlation
from shallows.signal._decode_stream import decode_stream
from shallows.signal._delay_embedding import delay_embedding
from shallows.signal._delay_line import delay_line
from shallows.signal._echo_state_network import EchoStateNetwork
from shallows.signal._equalize import equalize
from shallows.signal._feedback_error_learning import feedback_error_learning
from shallows.signal._identify import identify, identify_inverse, invert_filter
from shallows.signal._lms import LMS
from shallows.signal._rls import RLS
from shallows.signal._temporal_task import TemporalTask, memory_span
from shallows.signal._transversal_filter import impulse_response, is_linear, transversal_filter
from shallows.signal._volterra_features import volterra_features
from shallows.signal._wiener import performance_surface, risk, wiener
from shallows.signal._window_regression import WindowRegression

__all__ = [
    "LMS",
    "RLS",
    "EchoStateNetwork",
    "TemporalTask",
    "WindowRegression",
    "cancel_noise",
    "correlation",
    "decode_stream",
    "delay_embedding",
    "delay_line",
    "equalize",
    "feedback_error_learning",
    "identify",
    "identify_inverse",
    "impulse_response",
    "invert_filter",
    "is_linear",
    "memory_span",
    "performance_surface",
    "risk",
    "state_space",
    "transversal_filter",
    "volterra_features",
    "wiener",
]
