/** Node to node, as domains see it. */
export interface GossipPort {
  /** Best effort; what must arrive rests on durable rows. */
  announce(type: string, payload: unknown): Promise<void>;
}

/** A node that is in no pool has nobody to tell. */
export const noGossip: GossipPort = { announce: () => Promise.resolve() };
