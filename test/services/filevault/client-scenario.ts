import { createHash, randomBytes } from 'node:crypto';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Call = (method: string, path: string, body?: unknown) => Promise<any>;

/** The operations of client-encrypted containers, as the node sees them: everything is random bytes of the right length. */
export async function runClientScenario(call: Call, ownerId: string): Promise<void> {
  const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
  const container = await call('POST', '/vaults', { name: 'Sealed', clientEncrypted: true });
  const keys = `/vaults/${container.id}/keys`;
  const wraps = [{ memberId: ownerId, wrapped: `010121${hex(97)}` }];
  await call('POST', keys, { newest: 0, number: 1, signature: hex(64), wraps });
  await call('GET', keys);
  const { sessionId, keyNumber } = await call('POST', '/upload/init', {
    fileName: 'sealed.txt',
    mimeType: 'text/plain',
    totalSizeBytes: 5,
    targetFolderId: container.rootFolderId,
    vaultContainerId: container.id,
  });
  await call('PUT', `/upload/${sessionId}/key`, { keyNumber, wrappedKey: hex(65) });
  // salt and commitment, one segment with its tag
  const block = randomBytes(56 + 5 + 16);
  await call('PUT', `/upload/${sessionId}/chunk/0`, block);
  const hash = createHash('sha3-512').update(block).digest();
  const { fileId } = await call('POST', `/upload/${sessionId}/finalize`, {
    manifest: randomBytes(56 + 13 + 64 + 16).toString('base64'),
    blocks: createHash('sha256').update(hash).digest('hex'),
  });
  await call('GET', `/files/${fileId}/keys`);
  await call('GET', `/files/${fileId}/sealed`);
  await call('POST', `/vaults/${container.id}/destroy`, {});
}
