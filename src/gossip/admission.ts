import type { Clock } from '../context.ts';
import type { AdmissionPolicy } from './port.ts';

/** An answer of the policy is believed for so long: an admission may end by itself. */
const BELIEVED_MS = 5_000;
const MAX_BELIEFS = 10_000;

/** The policy, with answers at hand where there is no time to ask. */
export interface Admission {
  isAdmitted(nodeId: string): Promise<boolean>;
  /** the last answer, even if it is old; undefined: never asked */
  lastAnswer(nodeId: string): boolean | undefined;
  members: AdmissionPolicy['members'];
  forget(): void;
}

export function rememberAdmission(policy: AdmissionPolicy, clock: Clock): Admission {
  const answers = new Map<string, { readonly admitted: boolean; readonly at: number }>();
  // A policy that is asked before, and answers after, a change of the list must not be believed.
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
