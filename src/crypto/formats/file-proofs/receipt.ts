import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { sign, verify } from '../../signature.ts';
import { exactTime } from '../../../base/exact-time.ts';

const CONTEXT = 'conclave/filevault/access-receipt/v1';

/** The content of the header `X-Access-Receipt`: the node signed that an access to a file is in its ledger. */
export interface Receipt {
  /** of the entry of the ledger, hex */
  readonly receipt: string;
  readonly time: string;
  readonly signature: string;
}

/** The node that signs, and its time in milliseconds since 1970. */
interface ReceiptSigner {
  readonly keys: { readonly identity: { readonly privateKey: Uint8Array } };
  readonly clock: { now(): number };
}

function signedBytes({ receipt, time }: Pick<Receipt, 'receipt' | 'time'>, fileId: string): Uint8Array {
  return utf8([CONTEXT, receipt, fileId, time].join('\n'));
}

/**
 * Signs a receipt after its access was committed. Its time is read here, so a proof that covers all accesses until that time has the
 * access as well: a node that keeps its own rules never contradicts itself.
 */
export function signReceipt({ keys, clock }: ReceiptSigner, receipt: string, fileId: string): string {
  const time = new Date(clock.now()).toISOString();
  const signature = sign(keys.identity.privateKey, signedBytes({ receipt, time }, fileId));
  return `v1.${receipt}.${time}.${toHex(signature)}`;
}

/** @returns undefined for anything that is not a receipt */
export function parseReceipt(text: string): Receipt | undefined {
  const [, receipt = '', time = '', signature = ''] =
    /^v1\.([0-9a-f]{64})\.([0-9TZ:.-]{24})\.([0-9a-f]{128})$/.exec(text) ?? [];
  return exactTime(time) === undefined ? undefined : { receipt, time, signature };
}

/** @param nodeKey public key of the node, 33 bytes */
export function isReceiptOf(receipt: Receipt, fileId: string, nodeKey: Uint8Array): boolean {
  return verify(nodeKey, signedBytes(receipt, fileId), fromHex(receipt.signature));
}
