import type { Client } from '../../../client/client.ts';
import { Problem } from '../../../base/problem.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OwnSide } from '../sealed/own-side.ts';
import { conversationIdIn, type Look, type Place, type State } from './state.ts';

/** What works beside the keys have: the node, and what is on the screen. */
export interface Desk {
  readonly client: Client;
  readonly side: OwnSide;
  /** a terminal that shows nothing, for work that would show its progress */
  readonly silent: Terminal;
  state(): State;
  /** changes what is on the screen, which is drawn soon after */
  change(change: (state: State) => State): void;
  look(): Look;
  /** hears of a conversation, or not any more */
  follow(id: string, isWanted: boolean): void;
  /** sends what waits in a conversation */
  send(id: string): void;
  /** goes to a conversation */
  open(id: string): Promise<void>;
  /** asks for the person's key. @returns whether it is there */
  unlock(): Promise<boolean>;
  /** ends everything with this error */
  fail(error: unknown): void;
}

export function noteOn(desk: Pick<Desk, 'change'>, note: string): void {
  desk.change((state) => ({ ...state, note }));
}

/** Whether the person is not signed in any more, so that nothing here can go on. */
function isEnd(error: unknown): boolean {
  return !(error instanceof Problem) || error.kind === 'unauthenticated';
}

/** Does something whose failure concerns nothing else. @returns undefined after one */
export async function attempt<T>(desk: Pick<Desk, 'change' | 'fail'>, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isEnd(error)) desk.fail(error);
    else if (error instanceof Problem) noteOn(desk, error.message);
    return undefined;
  }
}

/** The conversation that is meant, also by a thread of it. */
export function placeNow(desk: Pick<Desk, 'state'>, id: string): Place | undefined {
  return desk.state().places.get(conversationIdIn(id));
}
