import type { Client } from '../../client/client.ts';
import { labelled } from '../kit/labelled.ts';
import { oneKey } from '../kit/one-key.ts';
import type { Unmeasured } from '../kit/screen.ts';
import { widthOf, type Terminal } from '../kit/terminal.ts';
import { taskLines, type Overview, type Task } from './overview.ts';
import { ownKeys } from './phrase.ts';
import { outcomeText, vote } from './voting.ts';

export interface Desk {
  readonly terminal: Terminal;
  readonly screen: Unmeasured;
  readonly say: (text: string) => void;
  /** tells of a problem; the next task comes all the same */
  readonly warn: (error: unknown) => void;
}

/** Shows one task after another, and acts on each by one key. */
export async function workThrough(client: Client, desk: Desk, { tasks, people }: Overview): Promise<void> {
  const { terminal, screen, say, warn } = desk;
  for (const [at, task] of tasks.entries()) {
    say(`${at === 0 ? '' : '\n'}${at + 1} of ${tasks.length}: ${titles[task.kind]}`);
    terminal.stderr.write(labelled(taskLines(screen, task, people), widthOf(terminal.stderr)));
    const key = await asked(terminal, task);
    if (key === 'q') return;
    if (key === 's') continue;
    try {
      say(await act(client, terminal, task, key));
    } catch (error) {
      warn(error);
    }
  }
}

const titles: Readonly<Record<Task['kind'], string>> = {
  vote: 'your vote is wanted',
  share: 'your share is wanted',
  confirmation: 'a new share waits for you',
};

const ways = { s: 'skip', q: 'leave' } as const;

async function asked(terminal: Terminal, task: Task): Promise<string> {
  if (task.kind === 'vote')
    return await oneKey(terminal, 'Vote:', { a: 'approve', r: 'reject', b: 'abstain', ...ways });
  if (task.kind === 'share') return await oneKey(terminal, 'Share:', { c: 'contribute it', ...ways });
  return await oneKey(terminal, 'New share:', { f: 'open and confirm it', ...ways });
}

const decisionOf = { a: 'approve', r: 'reject', b: 'abstain' } as const;

/** @returns what became of it */
async function act(client: Client, terminal: Terminal, task: Task, key: string): Promise<string> {
  if (task.kind === 'vote') {
    const decision = decisionOf[key as keyof typeof decisionOf];
    const { proposal } = await vote(client, terminal, task.shown.proposal, { decision }, undefined);
    return `Your vote is ${decision}. ${outcomeText(proposal)}`;
  }
  const keys = await ownKeys(terminal, undefined);
  if (task.kind === 'share') {
    const { contribute } = await import('../../client/quorum/contribute.ts');
    const { documentId, id: sessionId } = task.session;
    const { contributions, sharesRequired } = await contribute(client, { documentId, sessionId }, keys);
    return `Your share is given: ${contributions.length} of ${sharesRequired}.`;
  }
  const { confirmNewShare } = await import('../../client/quorum/reshare.ts');
  const { documentId, id: reshareId } = task.reshare;
  const { confirmedBy, sharesRequired } = await confirmNewShare(client, { documentId, reshareId }, keys);
  return `Your new share is confirmed: ${confirmedBy.length} of ${sharesRequired}.`;
}
