import { readFileSync } from 'node:fs';

const readJson = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { $schema: _, ...swc } = readJson('./.swcrc');

const shared = {
  testEnvironment: 'node',
  rootDir: import.meta.dirname,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.tsout/'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.tsout/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@roost/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^@roost/([^/]+)/(core|testing)$': '<rootDir>/libs/$1/src/$2/index.ts',
    '^@roost/([^/]+)/(early|terminus|nest|nats|link|internal)$': '<rootDir>/libs/$1/src/$2.ts',
  },
  setupFiles: ['reflect-metadata'],
};

const IN_PROCESS = ['<rootDir>/libs', '<rootDir>/test/{integration,workspace}'];

/** @type {import('jest').Config} */
export default {
  projects: [
    // Seconds for a whole lib: run them while you write.
    {
      ...shared,
      displayName: 'unit',
      testMatch: IN_PROCESS.map((folder) => `${folder}/**/!(*.slow|*.model).spec.ts`),
    },
    // Models, simulations, real networks and large numbers: most of the time of all in-process tests.
    { ...shared, displayName: 'slow', testMatch: IN_PROCESS.map((folder) => `${folder}/**/*.{slow,model}.spec.ts`) },
    // What Roost replaces in Nest, Terminus and Node, and relies on there: also run against other versions of Nest.
    {
      ...shared,
      displayName: 'contract',
      testMatch: ['<rootDir>/test/contract/**/*.spec.ts'],
      resolver: '<rootDir>/test/contract/nest-resolver.mjs',
    },
    // Black box: spawns processes, so few at a time, on what `npm run build` made.
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
    // The applications in containers, on a real Docker engine.
    { ...shared, displayName: 'compose', testMatch: ['<rootDir>/test/compose/**/*.spec.ts'] },
    // What somebody does who has only the README: on a clone, and in a project of their own.
    { ...shared, displayName: 'newcomer', testMatch: ['<rootDir>/test/newcomer/**/*.spec.ts'] },
  ],
  // A process that is kept carries the coverage of every earlier suite along: it takes twice as long with that.
  workerIdleMemoryLimit: '300MB',
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'libs/*/src/**/*.ts',
    '!**/*.spec.ts',
    '!**/*.fixture.ts',
    // Types only: nothing in them runs.
    '!libs/time/src/clock.ts',
    '!libs/shutdown/src/core/{events,host,task}.ts',
    '!libs/shutdown/src/core/process/process-like.ts',
    '!libs/drain/src/core/{target,work}.ts',
    '!libs/actors/src/core/{actor-class,actor-ref,message-class}.ts',
    '!libs/actors/src/core/mailbox/mailbox.ts',
    '!libs/workers/src/core/{run/run-token,worker-description}.ts',
    '!libs/workers/src/core/{consume/consume-options,consume/sink,launcher/fleet-status}.ts',
    '!libs/dataflow/src/core/{graph/model,node/context,distributed/wire/messages,report,run/dataflow-run}.ts',
    '!libs/dataflow/src/core/link/{transport,channel-options}.ts',
    // Run in other processes and threads only: test/e2e/workers.
    '!libs/workers/src/core/child/{preload,thread-main}.ts',
  ],
  coverageReporters: ['text', 'lcov'],
  coverageThreshold: readJson('./test/workspace/coverage-floor.json'),
};
