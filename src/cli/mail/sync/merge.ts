import type { Folder } from '../../../contract/mail/limits.ts';
import { flagsOfState } from '../files/maildir.ts';
import type { ServerMessage } from '../transfer/changes.ts';

/** Flags that both sides can change. */
const letters = ['F', 'P', 'R', 'S'] as const;

/** What can change of a message. */
export interface State {
  readonly folder: Folder;
  readonly labels: string[];
  /** letters of F, P, R and S */
  readonly flags: string;
}

export function stateAtServer(message: ServerMessage): State {
  return { folder: message.folder, labels: message.labels, flags: sharedFlags(flagsOfState(message)) };
}

export function sharedFlags(flags: string): string {
  return letters.filter((letter) => flags.includes(letter)).join('');
}

/** Letters that both have. For a message of which nobody knows how it was, so whatever one side has set stays set. */
export function commonFlags(one: string, other: string): string {
  return letters.filter((letter) => one.includes(letter) && other.includes(letter)).join('');
}

/** Flags of a message with several files: a letter that differs from before in any of them has changed. */
export function changedFlags(before: string, files: readonly string[]): string {
  return letters
    .filter((letter) => {
      const was = before.includes(letter);
      return files.some((flags) => flags.includes(letter) !== was) !== was;
    })
    .join('');
}

/** What both sides have to have: each flag and label as who changed it has it. Of two moves, that at the server. */
export function merged(before: State, local: State, server: State): State {
  const flags = letters.filter((letter) => {
    const [was, here, there] = [before, local, server].map((state) => state.flags.includes(letter));
    return here === was ? there : here;
  });
  const labels = [...new Set([...local.labels, ...server.labels])].filter((label) => {
    const [was, here, there] = [before, local, server].map((state) => state.labels.includes(label));
    return here === was ? there : here;
  });
  return {
    folder: server.folder === before.folder ? local.folder : server.folder,
    labels: labels.toSorted(),
    flags: flags.join(''),
  };
}

/** The change that makes one state of another at the server; undefined: none. */
export function changeOf(from: State, to: State) {
  const keywordOf = { F: '$flagged', P: '$forwarded', R: '$answered' } as const;
  const own = (['F', 'P', 'R'] as const).filter((letter) => from.flags.includes(letter) !== to.flags.includes(letter));
  const keywords = (has: boolean) => own.filter((one) => to.flags.includes(one) === has).map((one) => keywordOf[one]);
  const read = to.flags.includes('S');
  const change = {
    ...(from.folder !== to.folder && { folder: to.folder }),
    ...(from.flags.includes('S') !== read && { read }),
    ...listed('addKeywords', keywords(true)),
    ...listed('removeKeywords', keywords(false)),
    ...listed(
      'addLabels',
      to.labels.filter((label) => !from.labels.includes(label)),
    ),
    ...listed(
      'removeLabels',
      from.labels.filter((label) => !to.labels.includes(label)),
    ),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function listed<N extends string>(name: N, values: string[]): { [K in N]?: string[] } {
  return values.length === 0 ? {} : ({ [name]: values } as { [K in N]?: string[] });
}
