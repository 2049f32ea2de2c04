import * as core from './core/index.js';
import * as api from './index.js';
import * as terminus from './terminus.js';

describe('@roost/actors', () => {
  it('exports all of @roost/actors/core, these names and no others', () => {
    const surface = [
      'Actor',
      'ActorDependencyError',
      'ActorSystemModule',
      'ActorSystemUnavailableError',
      'ActorsForcedError',
      'DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS',
      'DuplicateActorSystemError',
      'DuplicateHandlerError',
      'InjectActor',
      'InjectActorSystem',
      'InvalidHandlerError',
      'NotAnActorClassError',
      'OnSignal',
      'Receive',
      'RequestScopedActorError',
      'UnknownActorSystemError',
      'getActorSystemToken',
      'getActorToken',
    ];
    expect(Object.keys(api).sort()).toEqual([...Object.keys(core), ...surface].sort());
  });
});

describe('@roost/actors/terminus', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(terminus).sort()).toEqual(['ActorSystemHealthIndicator']);
  });
});
