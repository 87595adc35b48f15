import type { MailNode, MailPool } from '../mail/pool-scene.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';

/** Half a minute later all that calendars said by mail has arrived, and what answers it. */
export async function settle(mail: MailPool, ...nodes: readonly MailNode[]): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    for (const { house } of nodes) house.clock.advance(31_000);
    for (const node of nodes) await runDueJobs(node, 'calendar');
    await mail.settled();
    for (const node of nodes) await runDueJobs(node, 'calendar');
  }
}
