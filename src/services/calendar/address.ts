import type { Context } from '../../service/context.ts';

/**
 * What addresses of calendars begin with. Never the address that was asked, which is the caller's word: the answer may be in a shared cache.
 */
export function ownUrl({ config, instance }: Pick<Context, 'config' | 'instance'>): string {
  const configured = config.files.publicUrl ?? config.social.publicUrl;
  return configured ?? instance.addresses[0]?.replace(/\/+$/, '') ?? 'http://localhost';
}

/** Of requests in process and over the control socket. */
const INSIDE = 'http://localhost';

/** What an address for the caller alone begins with: if nobody has said it, how the caller has reached the node. */
export function reachedUrl(ctx: Pick<Context, 'config' | 'instance' | 'caller'>): string {
  const { config, caller } = ctx;
  const configured = config.files.publicUrl ?? config.social.publicUrl;
  const { origin = INSIDE } = caller ?? {};
  return configured === undefined && origin !== INSIDE ? origin : ownUrl(ctx);
}
