import { hash } from 'node:crypto';
import type { MemberType } from '../../service/actor.ts';
import type { Db } from '../../platform/store/database.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

export interface LiveSession {
  readonly id: string;
  readonly member_id: string;
  readonly last_used_at: number;
  readonly username: string;
  readonly type: MemberType;
  readonly status: 'active' | 'suspended';
}

/** The store knows a token only by the SHA-256 of its jti. */
export function jtiHash(jti: Uint8Array): string {
  return hash('sha256', jti, 'hex');
}

const liveSession = `
  select s.id, s.member_id, s.last_used_at, m.username, m.type, m.status
  from sessions s join members m on m.id = s.member_id`;
const byCurrentToken = writtenQuery<LiveSession>(`${liveSession} where s.jti_hash = $1 and s.expires_at > $2`);
const byReplacedToken = writtenQuery<LiveSession>(`
  ${liveSession} join replaced_tokens t on t.session_id = s.id
  where t.jti_hash = $1 and s.expires_at > $2 and t.good_until > $2`);

/**
 * Finds the session of a token. The token must be the newest of the session, or replaced less than the time of grace ago. The hot path is
 * one lookup by an indexed column. Only replaced or unknown tokens need a second lookup.
 */
export async function findSession(db: Db, jtiHashed: string, nowMs: number): Promise<LiveSession | undefined> {
  for (const query of [byCurrentToken, byReplacedToken]) {
    const { rows } = await db.executeQuery(query(jtiHashed, nowMs));
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}
