import * as core from './core/index.js';
import * as api from './index.js';
import * as internal from './internal.js';
import * as terminus from './terminus.js';

describe('@roost/actors', () => {
  it('exports all of @roost/actors/core, these names and no others', () => {
    const surface = [
      'Actor',
      'ActorSystemModule',
      'InjectActor',
      'InjectActorSystem',
      'OnSignal',
      'Receive',
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

describe('@roost/actors/internal', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(internal).sort()).toEqual([
      'ACTOR_SYSTEM_MODULE_OPTIONS',
      'DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS',
      'DEFAULT_ACTOR_SYSTEM_OPTIONS',
      'RESOLVED_ACTOR_SYSTEM_OPTIONS',
      'SYSTEM_DEFINITION',
      'assertActorName',
      'check',
      'internalsOf',
      'resolveActorSystemModuleOptions',
    ]);
  });
});
