import { openLinks } from './links.ts';
import { openNamespaces } from './namespaces.ts';
import type { Wires } from './wires.ts';

/** Network namespaces where the machine allows them, and links otherwise. */
export async function openWires(): Promise<Wires> {
  return (await openNamespaces()) ?? openLinks();
}
