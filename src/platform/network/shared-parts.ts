import { Problem } from '../../base/problem.ts';
import type { Peer, SharedPart } from '../../service/ports/network.ts';

/** The protocol in which two connected nodes tell each other what their domains share. */
export const SHARED = 'gossip-shared';

/** Characters of JSON of one part. */
const MAX_PART = 4_096;
const MAX_PARTS = 16;

export interface SharedParts {
  /** what this node tells a peer */
  tell(peer: Peer): Promise<unknown>;
  /** @throws Problem invalid QUESTION_MALFORMED */
  hear(told: unknown, peer: Peer): Promise<void>;
}

/** Collects what the domains share. What a peer tells goes to the domain of the same name. Unknown names are ignored: a newer node may tell more. */
export function createSharedParts(parts: ReadonlyMap<string, SharedPart>): SharedParts {
  return {
    async tell(peer) {
      const told: Record<string, unknown> = {};
      for (const [name, part] of parts) {
        const said = await part.tell(peer);
        if (said === undefined) continue;
        if (JSON.stringify(said).length > MAX_PART) throw new Error(`the shared part ${name} is too long`);
        told[name] = said;
      }
      return { parts: told };
    },
    async hear(told, peer) {
      const said = (told as { parts?: unknown } | null)?.parts;
      if (typeof said !== 'object' || said === null || Object.keys(said).length > MAX_PARTS)
        throw new Problem('invalid', 'QUESTION_MALFORMED', 'What the node shares is not valid.');
      for (const [name, part] of parts) {
        if (Object.hasOwn(said, name)) await part.hear((said as Record<string, unknown>)[name], peer);
      }
    },
  };
}
