import { RuleError } from './rule-error.ts';

/**
 * Work that one question may cause, in steps: about a day that is looked at, or an instance that is made. It counts steps rather than
 * milliseconds, so that the same rule has the same answer on every machine. 250,000 take 10 to 40 ms.
 */
export interface Budget {
  left: number;
}

/** A rule is looked at for at least 400 years, after which the calendar repeats: 146,097 days. */
export function newBudget(steps = 250_000): Budget {
  return { left: steps };
}

/** @throws RuleError TOO_COMPLEX when nothing is left */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0)
    throw new RuleError(
      'TOO_COMPLEX',
      'This rule takes too long to work out. Use a larger frequency, a smaller COUNT, or fewer parts.',
    );
}
