import { AppProcess } from '../../support/app-process.js';
import { ActorsApp } from './actors-app.js';
import type { Plan } from './fixtures/plan.js';

const { jest } = import.meta;
jest.setTimeout(60_000);
afterEach(() => AppProcess.killAll());

const KINDS = ['express', 'fastify', 'microservice', 'context'] as const;
const FAULTS: [NonNullable<Plan['fault']>, string][] = [
  [
    'missing-provider',
    'ActorDependencyError: Cannot create the actor OrphanActor: parameter 0 (Missing) is not available in AppModule.',
  ],
  ['throwing-constructor', 'ActorInitializationException: /user/history could not be started: the disk is full'],
  ['unlisted', 'actor OrphanActor, listed in ActorSystemModule.forFeature([OrphanActor])'],
  ['duplicate-handler', 'DuplicateHandlerError: TwiceActor handles AddItem in add() and put()'],
];

describe.each(KINDS)('an application with actors that cannot boot (%s)', (kind) => {
  it.each(FAULTS)('exits with a clear error because of a %s', async (fault, text) => {
    const app = new ActorsApp({ kind, fault });

    const { code } = await app.process.end();

    expect(code).not.toBe(0);
    expect(app.process.output).toContain(text);
    expect(app.process.lines(/^ready$/)).toEqual([]);
  });
});
