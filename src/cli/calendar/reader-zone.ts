import type { Client } from '../../client/client.ts';
import { timeZoneNamed } from '../../base/time-zone.ts';
import { Problem } from '../../base/problem.ts';
import { wallClock, type WallClock } from './wall-clock.ts';

/**
 * The clock of whoever reads and writes times: of the zone that they name, else of their account, else of this machine.
 * @throws Problem invalid USAGE
 */
export async function readerClock(client: Pick<Client, 'timezone'>, named: string | undefined): Promise<WallClock> {
  // As for times on a terminal: if the sign-in cannot be read, the operation says so.
  const chosen = named ?? (await client.timezone().catch(() => undefined));
  const machine = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = chosen === undefined ? machine : timeZoneNamed(chosen);
  if (zone !== undefined) return wallClock(zone);
  if (named === undefined) return wallClock(machine);
  throw new Problem('invalid', 'USAGE', `There is no time zone ${JSON.stringify(named)}. Write it as Europe/Berlin.`);
}
