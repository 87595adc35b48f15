import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { pool } from '../../contract/pool.ts';
import type { BranchPreview } from '../../contract/pool/shapes.ts';
import { Problem } from '../../base/problem.ts';
import { counted } from '../kit/counted.ts';
import type { Screen } from '../kit/screen.ts';

type Status = ReplyOf<(typeof pool)['status']>;
type Decision = Status['unsigned'][number];
type Row = readonly [name: string, value: string];

/** More forks than these are in the JSON. */
const SHOWN = 3;
/** Enough of a hash or an id for people; 80 columns have room for it beside a command. */
const short = ({ width }: Pick<Screen, 'width'>, id: string) => (Number.isFinite(width) ? id.slice(0, 12) : id);

const signed = {
  one: 'one administrator signed both lists',
  two: 'two administrators signed one list each',
} as const;

/** What `pool status` says about forks of the access list, and what is to be done. */
export function forkRows(screen: Screen, { forks, unsigned, setAside, evidenceNotKept }: Status): Row[] {
  return [
    ...forks.slice(0, SHOWN).flatMap((fork) => rowsOf(screen, fork)),
    ...(forks.length > SHOWN ? ([['More forks', `${forks.length - SHOWN}: see --json`]] as const) : []),
    ...unsigned.map((one): Row => ['Not signed yet', said(screen, one)]),
    ...(unsigned.length > 0
      ? ([['', 'In force here. The next change that an administrator signs has it.']] as const)
      : []),
    ...setAside.map((one): Row => ['Set aside', said(screen, one)]),
    ...(setAside.length > 0 ? ([['', 'A removed administrator decided it. Decide for yourself.']] as const) : []),
    ...(evidenceNotKept === undefined
      ? []
      : ([
          [
            'Not kept',
            `${counted(evidenceNotKept.lists, 'list')} of versions ${evidenceNotKept.fromVersion} to ${evidenceNotKept.toVersion}`,
          ],
        ] as const)),
  ];
}

function lostRow({ nodes, mailDomains }: Status['forks'][number]['lost']): Row[] {
  const parts = [
    ...(nodes.length > 0 ? [counted(nodes.length, 'node')] : []),
    ...(mailDomains.length > 0 ? [counted(mailDomains.length, 'mail domain')] : []),
  ];
  return parts.length === 0 ? [] : [['To ask again', `${parts.join(', ')}: see conclave admin nodes pending`]];
}

function said(screen: Screen, { kind, subject, value }: Decision): string {
  const id = short(screen, subject);
  switch (kind) {
    case 'removal':
      return `node ${id} is removed`;
    case 'refusal':
      return `node ${id} is ${value}`;
    case 'administrator':
      return `administrator ${id} is removed`;
    case 'expiry':
      return `node ${id} expires ${value}`;
    case 'mode':
      return `the mode is ${value}`;
    case 'threshold':
      return `${value} administrators have to sign`;
    default:
      return kind satisfies never;
  }
}

/** What adopting a branch changes. */
export function describeBranch(screen: Screen, { active, branch, after, drops, brings }: BranchPreview): string {
  const names = (ids: readonly string[]) => ids.map((id) => short(screen, id)).join(' ') || 'none';
  const rows: Row[] = [
    ['Follows now', `version ${active.version}, ${short(screen, active.hash)}`],
    ['Would follow', `version ${branch.version}, ${short(screen, branch.hash)}`],
    ['Signed by', names(branch.signers)],
    ['Both have', `version ${after.version}, ${short(screen, after.hash)}`],
    ['Drops', counted(drops.versions, 'version')],
    ['Drops nodes', names(drops.nodes)],
    ['Drops admins', names(drops.administrators)],
    ['Brings', counted(brings.versions, 'version')],
    ['Brings nodes', names(brings.nodes)],
    ['Brings admins', names(brings.administrators)],
  ];
  // It is talk, on the error output, where columns have spaces also without a terminal.
  return rows.map(([name, value]) => `${name.padEnd('Brings admins'.length)}  ${value}`).join('\n');
}

/** The list of another branch that people name by the beginning of its hash. */
export async function findBranch(client: Client, hash: string): Promise<string> {
  const wanted = hash.toLowerCase().replace(/…$/, '');
  if (/^[0-9a-f]{64}$/.test(wanted)) return wanted;
  const { evidence } = await perform(client, pool.aclEvidence, {});
  const found = evidence.filter((one) => wanted !== '' && one.hash.startsWith(wanted));
  const [one] = found;
  if (one === undefined)
    throw new Problem('missing', 'POOL_BRANCH_NOT_FOUND', `No other branch has a list whose hash begins with ${hash}.`);
  if (found.length > 1)
    throw new Problem('conflict', 'POOL_BRANCH_AMBIGUOUS', `${hash} matches more than one list:`, {
      fields: found.map((list) => ({ path: list.hash, message: `version ${list.version}` })),
    });
  return one.hash;
}

function rowsOf(screen: Screen, fork: Status['forks'][number]): Row[] {
  const other = short(screen, fork.other);
  return [
    ['Fork', `version ${fork.version}: ${signed[fork.signedBy]}`],
    [
      'Counts',
      `${short(screen, fork.counting)}, decided by ${fork.decidedBy === 'rule' ? 'the rule' : 'an administrator'}`,
    ],
    ['Does not count', `${other}, ${counted(fork.lists, 'list')}. To follow it instead:`],
    ['', `conclave admin nodes acl resolve --adopt ${other}`],
    ...lostRow(fork.lost),
  ];
}
