"""Damped Gauss–Newton steps: to the minimum where the gradient alone is lost, and honest if there is no time."""

import numpy as np
import pytest

from assay.model.estimate.levenberg_marquardt import least_squares


def minimised(residuals, jacobian, start, max_steps=200):
    def value(x):
        return float(residuals(x) @ residuals(x))

    def normal_equations(x):
        slopes = jacobian(x)
        return slopes.T @ residuals(x), slopes.T @ slopes

    return least_squares(value, normal_equations, np.array(start, dtype=float), no_gain=1e-12, max_steps=max_steps)


def valley(x):
    """Rosenbrock's function: a curved valley."""
    return np.array([100 * (x[1] - x[0] ** 2), 1 - x[0]])


def along_the_valley(x):
    return np.array([[-200 * x[0], 100.0], [-1.0, 0.0]])


def test_a_curved_valley():
    found = minimised(valley, along_the_valley, [-1.2, 1.0])
    assert found.converged
    np.testing.assert_allclose(found.at, [1, 1], atol=1e-6)
    assert found.value == pytest.approx(0, abs=1e-9)


def test_too_few_steps_are_said_to_be_too_few():
    found = minimised(valley, along_the_valley, [-1.2, 1.0], max_steps=3)
    assert not found.converged
    assert found.steps == 3
    assert found.value < valley(np.array([-1.2, 1.0])) @ valley(np.array([-1.2, 1.0]))


@pytest.mark.parametrize("scale", [1e-5, 1e5])
def test_scales_that_differ_by_orders_of_magnitude(scale):
    slopes = np.diag([1.0, scale])
    found = minimised(lambda x: slopes @ (x - np.array([3.0, 2.0])), lambda _: slopes, [0.0, 0.0])
    np.testing.assert_allclose(found.at, [3, 2], atol=1e-4)


def test_an_unknown_that_nothing_depends_on_stays_where_it_was():
    slopes = np.array([[1.0, 0.0]])
    found = minimised(lambda x: slopes @ x - 4.0, lambda _: slopes, [0.0, 7.0])
    assert found.converged
    np.testing.assert_allclose(found.at, [4, 7], atol=1e-5)


def test_a_start_at_the_minimum():
    found = minimised(valley, along_the_valley, [1.0, 1.0])
    assert found.converged
    np.testing.assert_array_equal(found.at, [1, 1])
