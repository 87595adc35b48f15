import type { Caller } from '../../../client/perform.ts';
import type { OpenUpload } from '../../../contract/filevault/uploads.ts';
import type { Ciphers } from '../ciphers.ts';
import type { Failures } from '../transfer/outcome.ts';
import type { Patience } from '../transfer/patience.ts';
import type { Moved, Slots } from '../transfer/slots.ts';
import type { OpenSource } from '../transfer/source.ts';
import type { Decision, Direction } from './deciding.ts';
import type { Item, Items } from './matching.ts';
import type { State } from './state.ts';
import type { LocalNode, LocalTree, RemoteNode, RemoteTree } from './trees.ts';

export interface Action {
  readonly action:
    | 'upload'
    | 'download'
    | 'make-remote'
    | 'make-local'
    | 'move-remote'
    | 'move-local'
    | 'trash-remote'
    | 'remove-local'
    | 'conflict';
  /** below the folder that is synchronised */
  readonly path: string;
  /** the new path of what is moved */
  readonly to?: string;
}

/** One synchronisation, with what its steps share. */
export interface Run {
  readonly caller: Caller;
  readonly state: State;
  readonly direction: Direction;
  readonly patience: Patience;
  readonly ciphers: Ciphers;
  readonly open: OpenSource;
  readonly slots: Slots;
  readonly moved: Moved;
  readonly uploads: readonly OpenUpload[];
  readonly containerId: string;
  /** names this machine in copies */
  readonly host: string;
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** called before every change of a side and of the state */
  readonly step: () => void;
  readonly failures: Failures;
  readonly actions: Action[];
}

/** One look at both sides, and what is changed of them since. */
export interface Pass extends Run {
  readonly local: LocalTree;
  readonly remote: RemoteTree;
  readonly items: Items;
  readonly decisions: ReadonlyMap<Item, Decision>;
  /** things of the server by folder and name */
  readonly names: Map<string, RemoteNode[]>;
  /** places that something gets while others look for theirs */
  readonly claimed: Set<string>;
  /** what could not be done because something else is in the way */
  readonly blocked: Blocked[];
  /** what was done; without it the next look finds the same */
  done: number;
}

export interface Blocked {
  readonly item: Item;
  readonly side: 'local' | 'remote';
  /** what is in the way; undefined if it can't be seen */
  readonly by: LocalNode | RemoteNode | undefined;
}
