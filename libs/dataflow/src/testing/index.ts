export { MemoryNetwork } from '../core/testing/memory-network.js';
export type { MemoryNetworkOptions, MemoryRoute } from '../core/testing/memory-network.js';
