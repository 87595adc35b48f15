import type { Context } from '../../service/context.ts';
import { fieldProblem } from '../../base/problem.ts';
import { timeZoneNamed } from '../../base/time-zone.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

const zoneOf = writtenQuery<{ timezone: string }>('select timezone from member_settings where member_id = $1');

/** The zone in the settings of a member. */
export async function zoneOfMember({ db }: Pick<Context, 'db'>, memberId: string): Promise<string> {
  const { rows } = await db.executeQuery(zoneOf(memberId));
  return rows[0]?.timezone ?? 'UTC';
}

/** The name of a zone as it is stored. @param field which has it @throws Problem invalid VALIDATION_ERROR */
export function requireZone(name: string, field: string): string {
  const zone = timeZoneNamed(name);
  if (zone === undefined) throw fieldProblem(field, 'must be an IANA time zone, such as Europe/Berlin');
  return zone;
}
