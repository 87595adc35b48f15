import type { Context } from '../../service/context.ts';
import { addressesFor, MAX_ADDRESSES } from '../../crypto/multiaddr.ts';
import type { Admission } from './admission.ts';
import { createAuthors, type Authors } from './authors.ts';
import { isAuthentic, readEnvelope, sealableItem, sealEnvelope, type Envelope, type ReadEnvelope } from './envelope.ts';
import { readAddresses, writeAddresses } from './rows.ts';

/** The addresses of admitted nodes. Each node signs a record of its own addresses, and other nodes pass the record on. */
export interface AddressBook {
  /** grows with every change */
  readonly version: number;
  tellOwn(addresses: readonly string[]): void;
  addressesOf(nodeId: string): readonly string[];
  /** the records of this node and of all nodes that are admitted now, to send to another node */
  records(): Promise<Uint8Array[]>;
  /** stores a record and returns true if others should be told; forged or old records and those of strangers are ignored */
  learn(record: Uint8Array): Promise<boolean>;
}

const TYPE = 'addresses';
/** Room for eight addresses of 400 characters and the envelope. */
const MAX_RECORD = 4096;
const MAX_RECORDS = 1024;
const OUTLIVE_AGAIN_MS = 60_000;

export async function openAddressBook(
  { store, clock, random, keys }: Pick<Context, 'store' | 'clock' | 'random' | 'keys'>,
  admission: Admission,
): Promise<AddressBook> {
  const authors = createAuthors();
  const known = new Map<string, Envelope>();
  let own: Envelope | undefined;
  let version = 0;
  let told: readonly string[] = [];
  let outlivedAt = Number.NEGATIVE_INFINITY;

  function sealOwn(timestamp: number): void {
    const items = [sealableItem(TYPE, { addresses: told })];
    own = sealEnvelope(keys.identity, { items, timestamp, nonce: random(16) });
    version += 1;
  }

  /**
   * Others have a later record of this node, since its clock was ahead then, or is behind now. They would not take its present one, so
   * that one gets a later time. A copy of this node does the same, and the two must not keep the network busy with it.
   * @returns whether to tell others now, and not only the next node that asks
   */
  function outlive(record: ReadEnvelope): boolean {
    const { timestamp, bytes } = record;
    if (own === undefined || timestamp < own.timestamp || Buffer.compare(bytes, own.bytes) === 0) return false;
    if (timestamp >= Number.MAX_SAFE_INTEGER || !isAuthentic(record)) return false;
    sealOwn(timestamp + 1);
    const isSoon = performance.now() - outlivedAt < OUTLIVE_AGAIN_MS;
    if (!isSoon) outlivedAt = performance.now();
    return !isSoon;
  }

  for (const bytes of await readAddresses(store.db)) {
    const record = recordOf(bytes, authors);
    if (record !== undefined && isAuthentic(record)) known.set(record.nodeId, record);
  }

  return {
    get version() {
      return version;
    },
    tellOwn(addresses) {
      told = addresses.slice(0, MAX_ADDRESSES);
      sealOwn(clock.now());
    },
    addressesOf(nodeId) {
      const record = known.get(nodeId);
      return record === undefined ? [] : addressesFor(nodeId, addressesIn(record));
    },
    async records() {
      const found = own === undefined ? [] : [own.bytes];
      for (const { nodeId, bytes } of known.values()) {
        if (found.length < MAX_RECORDS && (await admission.isAdmitted(nodeId))) found.push(bytes);
      }
      return found;
    },
    async learn(bytes) {
      const record = recordOf(bytes, authors);
      if (record === undefined) return false;
      if (record.nodeId === keys.nodeId) return outlive(record);
      // Whatever our clock says of its time: a node whose clock is wrong has to be reached, too, if only to tell it of a removal.
      if (record.timestamp <= (known.get(record.nodeId)?.timestamp ?? -1)) return false;
      if (!(await admission.isAdmitted(record.nodeId)) || !isAuthentic(record)) return false;
      known.set(record.nodeId, record);
      version += 1;
      await writeAddresses(store, record);
      return true;
    },
  };
}

function recordOf(bytes: Uint8Array, authors: Authors): ReadEnvelope | undefined {
  const record = readEnvelope(bytes, MAX_RECORD, authors);
  if (typeof record === 'string') return undefined;
  return record.announcements.length === 1 && record.announcements[0]?.type === TYPE ? record : undefined;
}

function addressesIn({ announcements }: Envelope): string[] {
  const { addresses } = (announcements[0]?.payload ?? {}) as { addresses?: unknown };
  return Array.isArray(addresses) ? addresses.filter((address) => typeof address === 'string') : [];
}
