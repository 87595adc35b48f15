import { sql } from 'kysely';
import { migrations } from '../../../src/platform/store/migrations.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import type { Scene } from './scene.ts';

/** The upgrade to a migration, and what the jobs of these services do after it. */
export async function upgraded(scene: Scene, migration: string, ...services: readonly string[]): Promise<void> {
  const { db } = scene.house.ctx;
  await sql`update schema_migrations set applied_at = ${scene.house.clock.now()}`.execute(db);
  await migrations.find(({ name }) => name === migration)?.up(db, {} as never);
  for (const service of services) await runDueJobs(scene, service);
}

export async function securityAlerts({ house }: Pick<Scene, 'house'>, member: HouseMember): Promise<string[]> {
  const { body } = await house.api('GET', '/api/social/notifications', { token: await house.signIn(member) });
  const { notifications } = (body as { data: { notifications: { type: string; content: string }[] } }).data;
  return notifications.filter(({ type }) => type === 'security_alert').map(({ content }) => content);
}
