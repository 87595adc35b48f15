/** No caches. */
export async function keepCompiledParts() { return []; }
