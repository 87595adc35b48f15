import type { Context } from '../context.ts';
import { addressesFor, MAX_ADDRESSES } from './addresses.ts';
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
  /** stores a record and returns true if it is new; forged or old records and records of strangers are ignored */
  learn(record: Uint8Array): Promise<boolean>;
}

const TYPE = 'addresses';
/** Room for eight addresses of 400 characters and the envelope. */
const MAX_RECORD = 4096;
const MAX_RECORDS = 1024;

export async function openAddressBook(
  { store, clock, random, keys }: Pick<Context, 'store' | 'clock' | 'random' | 'keys'>,
  admission: Admission,
  clockSkewMs: number,
): Promise<AddressBook> {
  const authors = createAuthors();
  const known = new Map<string, Envelope>();
  let own: Envelope | undefined;
  let version = 0;
  for (const bytes of await readAddresses(store.db)) {
    const record = recordOf(bytes, authors);
    if (record !== undefined && isAuthentic(record)) known.set(record.nodeId, record);
  }

  return {
    get version() {
      return version;
    },
    tellOwn(addresses) {
      const items = [sealableItem(TYPE, { addresses: addresses.slice(0, MAX_ADDRESSES) })];
      own = sealEnvelope(keys.identity, { items, timestamp: clock.now(), nonce: random(16) });
      version += 1;
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
      if (record === undefined || record.nodeId === keys.nodeId) return false;
      if (record.timestamp > clock.now() + clockSkewMs) return false;
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
