import type { Context } from '../../../service/context.ts';
import type { CanaryAction } from '../../../contract/filevault/canaries.ts';
import { addressHint, membersNamed } from '../../../shared/members/named.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';
import { requirePlace, type Who } from '../access/places.ts';
import { stepsOf } from './actions.ts';
import { refusalOf } from './dry-run.ts';
import { usualWarning } from './times.ts';

const MOST_STEPS = 200;

/** What may be missing when a canary is bound, because others decide on it later. */
const decisions: ReadonlySet<string> = new Set(['APPROVAL_REQUIRED', 'QUORUM_APPROVAL_REQUIRED']);

/** Actions with the ids of their members. @throws Problem missing MEMBER_NOT_FOUND */
export async function actionsNamed(ctx: Context, actions: readonly CanaryAction[]): Promise<CanaryAction[]> {
  const named: CanaryAction[] = [];
  for (const action of actions) {
    if (action.type === 'notify') named.push({ ...action, members: await idsOf(ctx, action.members) });
    else if (action.type === 'share') named.push({ ...action, recipients: await idsOf(ctx, action.recipients) });
    else named.push({ ...action, fileIds: [...new Set(action.fileIds)] });
  }
  if (stepsOf(named).length > MOST_STEPS)
    throw fieldProblem('actions', `must have at most ${MOST_STEPS} files and members together`);
  return named;
}

async function idsOf(ctx: Context, names: readonly string[]): Promise<string[]> {
  const found = await membersNamed(ctx, names);
  const ids = found.map((member, index) => {
    if (member?.active === true) return member.id;
    const name = names[index];
    throw new Problem('missing', 'MEMBER_NOT_FOUND', `There is no member ${JSON.stringify(name)}${addressHint(name)}.`);
  });
  return [...new Set(ids)];
}

/** The owner could do now what the canary is going to do. Not for use in a transaction. @throws Problem why not */
export async function assertAllowed(ctx: Context, row: FileCanaryRow, actions: readonly CanaryAction[]): Promise<void> {
  for (const step of stepsOf(actions)) {
    const refusal = await refusalOf(ctx, row, step);
    if (refusal !== undefined && !decisions.has(refusal.code)) throw refusal;
  }
}

export async function assertReadable(ctx: Context, who: Who, fileIds: readonly string[]): Promise<void> {
  for (const id of fileIds) await requirePlace(ctx, who, 1, id, { flag: 'read' });
}

interface Fields {
  readonly hours?: number | undefined;
  readonly warnHours?: number | undefined;
  readonly fileIds?: readonly string[] | undefined;
  readonly code?: string | undefined;
}

/** Each condition has fields of its own. @throws Problem invalid VALIDATION_ERROR */
export function assertFields(condition: FileCanaryRow['condition'], fields: Fields): void {
  const own = { ABSENCE: ['hours', 'warnHours'], PRESENCE: ['fileIds'], DURESS: ['code'] }[condition];
  for (const name of ['hours', 'warnHours', 'fileIds', 'code'] as const)
    if (fields[name] !== undefined && !own.includes(name)) throw fieldProblem(name, `is not for ${condition}`);
}

/** @throws Problem invalid VALIDATION_ERROR */
export function hoursOf({ hours, warnHours }: Fields): Pick<FileCanaryRow, 'hours' | 'warn_hours'> {
  if (hours === undefined) return { hours: null, warn_hours: null };
  const warn = warnHours ?? usualWarning(hours);
  if (warnHours !== undefined && warnHours > hours) throw fieldProblem('warnHours', 'must be at most `hours`');
  return { hours, warn_hours: warn };
}
