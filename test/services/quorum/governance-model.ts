/** The rules of proposals, as briefly as they can be said; see governance-orders.thorough.test.ts. */
export interface ModelProposal {
  readonly id: string;
  /** members of its epoch */
  readonly members: ReadonlySet<string>;
  readonly required: number;
  readonly expiresAt: number;
  /** what it changes the threshold to; undefined: it changes nothing */
  readonly threshold: number | undefined;
  readonly votes: Map<string, string>;
  status: string;
}

export interface Model {
  readonly active: Set<string>;
  readonly proposals: ModelProposal[];
  threshold: number;
}

export function modelTally(model: Model, proposal: ModelProposal) {
  const electorate = [...proposal.members].filter((id) => model.active.has(id));
  const count = (decision: string) => electorate.filter((id) => proposal.votes.get(id) === decision).length;
  // A threshold that was raised later does not change what is decided.
  const required = proposal.status === 'pending' ? Math.max(proposal.required, model.threshold) : proposal.required;
  return { approve: count('approve'), reject: count('reject'), abstain: count('abstain'), required, electorate };
}

/** @returns whether that changed the threshold */
function settle(model: Model, proposal: ModelProposal): boolean {
  const { approve, reject, required, electorate } = modelTally(model, proposal);
  if (approve < required) {
    if (electorate.length - reject < required) proposal.status = 'rejected';
    return false;
  }
  const wanted = proposal.threshold;
  const isPossible = wanted === undefined || wanted <= model.active.size;
  proposal.status = isPossible ? 'executed' : 'failed';
  if (wanted === undefined || !isPossible) return false;
  model.threshold = wanted;
  return true;
}

/** @returns what the voter is told: the status of the answer, and that of the proposal then */
export function modelVote(model: Model, proposal: ModelProposal, voter: string, decision: string, now: number) {
  if (!model.active.has(voter)) return '404';
  if (proposal.status !== 'pending' || proposal.expiresAt <= now) return '409';
  if (!proposal.members.has(voter)) return '403';
  proposal.votes.set(voter, decision);
  settle(model, proposal);
  return `200 ${proposal.status}`;
}

/** What the jobs do that are due. */
export function modelJobs(model: Model, now: number): void {
  const pending = () => model.proposals.filter(({ status }) => status === 'pending');
  for (const proposal of pending()) if (proposal.expiresAt <= now) proposal.status = 'expired';
  const inOrder = pending().toSorted((one, other) => (one.id < other.id ? -1 : 1));
  // Another threshold may decide what was looked at before.
  for (const proposal of inOrder) if (settle(model, proposal)) return modelJobs(model, now);
}
