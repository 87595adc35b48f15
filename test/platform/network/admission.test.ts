import { describe, expect, it } from 'vitest';
import { rememberAdmission } from '../../../src/platform/network/admission.ts';

/** A policy that answers when the test says so. */
function asked() {
  const waiting: ((admitted: boolean) => void)[] = [];
  let now = 0;
  const admission = rememberAdmission(
    {
      isAdmitted: async () => await new Promise<boolean>((answer) => void waiting.push(answer)),
      members: async () => [],
    },
    { now: () => now },
  );
  return {
    admission,
    advance: (milliseconds: number) => void (now += milliseconds),
    /** the oldest question gets its answer */
    answer: (admitted: boolean) => waiting.shift()?.(admitted),
    get open() {
      return waiting.length;
    },
  };
}

describe('who is admitted', () => {
  it('is asked once in five seconds, also after a no', async () => {
    for (const admitted of [true, false]) {
      const policy = asked();
      const first = policy.admission.isAdmitted('a');
      policy.answer(admitted);
      expect(await first).toBe(admitted);
      policy.advance(4_999);
      expect(await policy.admission.isAdmitted('a')).toBe(admitted);
      expect(policy.open).toBe(0);
      policy.advance(1);
      const again = policy.admission.isAdmitted('a');
      expect(policy.open).toBe(1);
      policy.answer(!admitted);
      expect(await again).toBe(!admitted);
      expect(policy.admission.lastAnswer('a')).toBe(!admitted);
    }
  });

  it('is asked anew after a clock was set back', async () => {
    const policy = asked();
    const first = policy.admission.isAdmitted('a');
    policy.answer(true);
    await first;
    policy.advance(-5_000);
    const again = policy.admission.isAdmitted('a');
    expect(policy.open).toBe(1);
    policy.answer(false);
    expect(await again).toBe(false);
  });

  it('is not remembered from before a change of the list, however late the answer comes', async () => {
    const policy = asked();
    const before = policy.admission.isAdmitted('a');
    policy.admission.forget();
    policy.answer(true);
    // Whoever asked before may have this answer, and nobody after.
    expect(await before).toBe(true);
    expect(policy.admission.lastAnswer('a')).toBeUndefined();
    const after = policy.admission.isAdmitted('a');
    expect(policy.open).toBe(1);
    policy.answer(false);
    expect(await after).toBe(false);
    expect(policy.admission.lastAnswer('a')).toBe(false);
  });
});
