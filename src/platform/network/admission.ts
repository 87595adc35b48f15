import type { Clock } from '../../service/context.ts';
import type { AdmissionPolicy } from '../../service/ports/network.ts';

/** An answer of the policy is cached for this time. It is short because an admission may end by itself. */
const BELIEVED_MS = 5_000;
const MAX_BELIEFS = 10_000;

/** The admission policy with a cache, for code that can't wait for an answer. */
export interface Admission {
  isAdmitted(nodeId: string): Promise<boolean>;
  /** the last answer, even if it is old; undefined: never asked */
  lastAnswer(nodeId: string): boolean | undefined;
  members: AdmissionPolicy['members'];
  forget(): void;
}

export function rememberAdmission(policy: AdmissionPolicy, clock: Clock): Admission {
  const answers = new Map<string, { readonly admitted: boolean; readonly at: number }>();
  // If the list changes between a question and its answer, the answer must not be cached.
  let generation = 0;
  return {
    async isAdmitted(nodeId) {
      const known = answers.get(nodeId);
      if (known !== undefined && Math.abs(clock.now() - known.at) < BELIEVED_MS) return known.admitted;
      const asked = generation;
      const admitted = await policy.isAdmitted(nodeId);
      if (asked === generation) {
        answers.delete(nodeId);
        answers.set(nodeId, { admitted, at: clock.now() });
        const oldest = answers.size > MAX_BELIEFS ? answers.keys().next().value : undefined;
        if (oldest !== undefined) answers.delete(oldest);
      }
      return admitted;
    },
    lastAnswer: (nodeId) => answers.get(nodeId)?.admitted,
    members: async () => await policy.members(),
    forget() {
      generation += 1;
      answers.clear();
    },
  };
}
