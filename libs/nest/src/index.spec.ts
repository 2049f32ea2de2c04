import * as entry from '@roost/nest';

describe('@roost/nest', () => {
  it('exports the module and its errors', () => {
    expect(Object.keys(entry).sort()).toEqual([
      'ForRootMissingError',
      'RoostModule',
      'RoostModuleError',
      'UnknownPartError',
    ]);
  });
});
