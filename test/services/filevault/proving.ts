import { transaction } from '../../../src/service/context.ts';
import {
  parseFileProof,
  signDestruction,
  signNonAccess,
  writeFileProof,
  type DestructionFile,
  type NonAccessFile,
} from '../../../src/crypto/formats/file-proofs/format.ts';
import { verifyFileProof, type FileProofOptions } from '../../../src/crypto/formats/file-proofs/verify.ts';
import { record } from '../../../src/services/filevault/audit.ts';
import { recordId } from '../../../src/platform/store/record-id.ts';
import type { Scene } from './scene.ts';

/** The proof that a file was not accessed, as a file. */
export async function nonAccessOf(scene: Scene, id: string, query = ''): Promise<string> {
  const reply = await scene.get('GET', `/files/${id}/non-access-proof${query}`);
  return writeFileProof({ kind: 'non-access', ...reply });
}

/** Destroys a file. */
export async function certificateOf(scene: Scene, id: string): Promise<string> {
  const { proof, certificate } = await scene.get('POST', `/destroy/${id}`, {});
  return writeFileProof({ kind: 'destruction', proof, certificate });
}

export async function entriesOf({ house }: Scene): Promise<string[]> {
  await house.ctx.ledger.settled();
  const rows = await house.ctx.db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  return rows.map(({ body }) => Buffer.from(body).toString());
}

export async function* streamed(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** The verdict on a proof, and each check that failed. */
export async function verdict(text: string, options: FileProofOptions = {}): Promise<string[]> {
  const report = await verifyFileProof(text, options);
  const wrong = report.checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  return [report.verdict, ...wrong, ...report.undecided];
}

export function nonAccessIn(text: string): NonAccessFile {
  const file = parseFileProof(text);
  if (file?.kind !== 'non-access') throw new Error('no such proof');
  return file;
}

export function destructionIn(text: string): DestructionFile {
  const file = parseFileProof(text);
  if (file?.kind !== 'destruction') throw new Error('no such proof');
  return file;
}

/** A proof that the node signs as it is, so that other checks have to notice what is wrong with it. */
export function signedAgain(
  { house }: Scene,
  file: Omit<NonAccessFile, 'format'> | Omit<DestructionFile, 'format'>,
): string {
  const { keys } = house.ctx;
  if (file.kind === 'non-access') {
    const { signature: _, ...bundle } = file.verificationBundle;
    const signature = signNonAccess(keys, file.proof, bundle);
    return writeFileProof({ kind: file.kind, proof: file.proof, verificationBundle: { ...bundle, signature } });
  }
  const { signature: _, ...rest } = file.certificate;
  const signature = signDestruction(keys, file.proof, rest);
  return writeFileProof({ kind: file.kind, proof: file.proof, certificate: { ...rest, signature } });
}

/** Records accesses to files that are gone by now. */
export async function recordAccesses({ house, owner, containerId }: Scene, count: number): Promise<void> {
  const { ctx } = house;
  const actor = { memberId: owner.memberId, address: '192.0.2.1', userAgent: '' };
  for (let at = 0; at < count; at += 1)
    await transaction(ctx, async (tx) => {
      const nodeId = recordId(tx.clock.now(), tx.random);
      await record(tx, actor, { action: 'FILE_DOWNLOADED', containerId, nodeId, data: { receipt: 'f'.repeat(64) } });
    });
}
