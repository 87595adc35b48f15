import type { Context } from '../../../service/context.ts';

/** Of requests in process and over the control socket; see client/local-transport.ts. */
const INSIDE = 'http://localhost';

/**
 * What addresses for others begin with. A command that has the store open, or asks over the control socket, has no address of its own: then
 * it is the one that the server listens on.
 */
export function publicUrl({ config, instance, caller }: Pick<Context, 'config' | 'instance' | 'caller'>): string {
  const { publicUrl: configured } = config.files;
  if (configured !== undefined) return configured;
  const { origin = INSIDE } = caller ?? {};
  const [listened] = instance.addresses;
  return origin === INSIDE && listened !== undefined ? listened.replace(/\/+$/, '') : origin;
}
