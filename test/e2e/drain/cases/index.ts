import type { DrainCase } from '../drain-case.js';
import { bodyCases } from './bodies.cases.js';
import { bootCases } from './boot.cases.js';
import { connectionHeaderCases } from './connection-header.cases.js';
import { connectionCases } from './connections.cases.js';
import { http2Cases } from './http2.cases.js';
import { loadCases } from './load.cases.js';
import { pipeliningCases } from './pipelining.cases.js';
import { probeCases } from './probes.cases.js';
import { serverCases } from './servers.cases.js';
import { shedCases } from './shed.cases.js';
import { signalCases } from './signals.cases.js';
import { stuckCases } from './stuck.cases.js';

/** All properties that must hold when an application with the drain stops. */
export const CASES: readonly DrainCase[] = [
  ...connectionCases,
  ...connectionHeaderCases,
  ...shedCases,
  ...bodyCases,
  ...pipeliningCases,
  ...stuckCases,
  ...probeCases,
  ...bootCases,
  ...signalCases,
  ...serverCases,
  ...http2Cases,
  ...loadCases,
];
