import { bitsOf, FILTER, isFilterSize, isSet, parseWitness } from '../../bloom-filter.ts';
import { fromHex, toHex } from '../../bytes.ts';
import { leafHash, verifyInclusion } from '../../merkle.ts';
import { exactTime } from '../../../base/exact-time.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import type { Checks } from './checks.ts';
import type { NonAccessFile } from './format.ts';

/** What an entry ACCESS_FILTER says. */
export interface FilterEntry {
  readonly merkleRoot: string;
  readonly bits: number;
  readonly salt: Uint8Array;
  readonly coversTo: number;
  readonly count: number;
  readonly asOf: number;
  readonly containerTag: string;
}

/** @returns undefined if it is not the entry of a filter */
export function filterIn({ type, data = {}, tags = {}, index }: LedgerEntry): FilterEntry | undefined {
  const { merkleRoot, m, k, salt, coversTo, count, asOf } = data;
  const containerTag = tags['container'];
  const time = exactTime(asOf);
  if (type !== 'ACCESS_FILTER' || containerTag === undefined || time === undefined || k !== FILTER.hashes)
    return undefined;
  if (typeof merkleRoot !== 'string' || typeof salt !== 'string' || !/^[0-9a-f]{64}$/.test(salt)) return undefined;
  if (typeof m !== 'number' || !isFilterSize(m)) return undefined;
  if (typeof coversTo !== 'number' || !Number.isSafeInteger(coversTo) || coversTo < 0 || coversTo > index)
    return undefined;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0 || count > coversTo) return undefined;
  return { merkleRoot, bits: m, salt: fromHex(salt), coversTo, count, asOf: time, containerTag };
}

/** Checks that a bit of the file is 0 in the filter that the entry commits to. */
export function checkFilter(checks: Checks, { proof, verificationBundle }: NonAccessFile, entry: LedgerEntry): void {
  const filter = filterIn(entry);
  const isFilter = filter !== undefined && filter.merkleRoot === proof.merkleRoot;
  checks.add('filter', isFilter, 'the entry commits to this filter', 'the entry does not commit to this filter');
  const isTime = proof.timestamp === entry.time;
  checks.add('timestamp', isTime, proof.timestamp, 'it is not the time of the entry');
  const witness = parseWitness(proof.bloomWitness);
  if (filter === undefined || witness === undefined) {
    checks.add('witness', false, '', 'it is not a witness of this filter');
    return;
  }
  const { bits, salt, j, bit, chunkIndex, chunk, hashes } = witness;
  const isSame = hashes === FILTER.hashes && bits === filter.bits && toHex(salt) === toHex(filter.salt);
  checks.add('witness', isSame, `${bits} bits, ${hashes} hashes`, 'it is a witness of another filter');
  const size = filter.bits / FILTER.chunkBits;
  const path = proof.merkleProof.map((hash) => fromHex(hash));
  const root = fromHex(proof.merkleRoot);
  const isIn = verifyInclusion({ index: chunkIndex, size, leafHash: leafHash(chunk), root, proof: path });
  checks.add('chunk', isIn, `chunk ${chunkIndex} of ${size} is in the filter`, 'the chunk is not in the filter');
  const isBit = bitsOf(fromHex(verificationBundle.fileTag), filter.salt, filter.bits)[j] === bit;
  checks.add('file', isBit, `hash ${j} of the file is bit ${bit}`, 'the bit is not one of the file');
  const isZero = Math.floor(bit / FILTER.chunkBits) === chunkIndex && !isSet(chunk, bit % FILTER.chunkBits);
  checks.add(
    'bit',
    isZero,
    'it is 0, so the file is not in the filter',
    'it does not show that the file is not in the filter',
  );
  const { coversTo, asOf } = verificationBundle;
  const until = exactTime(asOf) ?? Number.NaN;
  const isCover = coversTo >= filter.coversTo && until >= filter.asOf;
  checks.add('cover', isCover, `entries before ${coversTo}, until ${asOf}`, 'it covers less than the filter');
}
