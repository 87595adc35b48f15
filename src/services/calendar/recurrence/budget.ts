import { RuleError } from './rule-error.ts';

/**
 * Work that one question may cause, in steps: about a day that is looked at, or an instance that is made. It counts steps rather than
 * milliseconds, so that the same rule has the same answer on every machine.
 */
export interface Budget {
  left: number;
}

/** Enough to look at every day of 270 years: 10 to 20 ms. */
export const STEPS = 100_000;

/** @throws RuleError TOO_COMPLEX when nothing is left */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0)
    throw new RuleError(
      'TOO_COMPLEX',
      'This rule takes too long to work out. Use a larger frequency, a smaller COUNT, or fewer parts.',
    );
}
