import { expect } from 'vitest';
import { confirmed, dealt } from './resharing.ts';
import { decided, proposed, voting } from './governing.ts';
import { contributed, opened, sealed } from './sealing.ts';
import type { QuorumScene } from './scene.ts';

export interface Verification {
  readonly valid: boolean;
  readonly entriesVerified: number;
  readonly newEntries: number;
  readonly error: string | null;
  readonly faults: readonly string[];
  readonly moreFaults: number;
}

export async function verified({ ask }: Pick<QuorumScene, 'ask'>): Promise<Verification> {
  return (await ask('GET', '/audit/verify')).verification;
}

/** Every row of the quorum is as it was recorded, whatever a test did. */
export async function auditIsValid(scene: Pick<QuorumScene, 'ask'>): Promise<void> {
  expect(await verified(scene)).toMatchObject({ valid: true, error: null, faults: [] });
}

/** Leaves rows in every table of the quorum. The scene has five members; the last one is banned in the end. */
export async function livedIn(scene: QuorumScene): Promise<void> {
  const [ann, bob, cyd, dan, eve] = scene.people;
  const document = await sealed(scene);
  const ticket = await dealt(scene, { documentId: document.id, dealer: ann!, givers: [ann!, bob!] });
  await confirmed(scene, ticket, cyd!);
  const session = await opened(scene, document.id, bob!.token);
  await contributed(scene, session, dan!);
  await decided(scene, 'UNSEAL_DOCUMENT', { documentId: document.id });
  await decided(scene, 'REGISTER_ALIAS', { aliasName: 'amazing.g', identity: { name: 'Grace' } });
  const open = await proposed(scene, ann!, 'CUSTOM', { colour: 'green' });
  await voting(scene, bob!, open.id, 'abstain', { comment: 'Why green?' });
  await scene.ask('DELETE', `/members/${dan!.id}`);
  await decided(scene, 'BAN_MEMBER', { memberId: eve!.id, reason: 'Spam' });
}
