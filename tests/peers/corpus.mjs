// What random schemas and instances are made of: names, texts, patterns, numbers, and texts that are,
// or nearly are, of a format.

// prettier-ignore
export const NAMES = [
  'a', 'b', 'c', 'ab', 'abc', 'x1', 'é', '日本', 'a/b', 'm~n', '', 'constructor', 'toString',
  '\u{1f600}', 'a"b',
];
// prettier-ignore
export const STRINGS = [
  '', 'a', 'ab', 'abc', 'abcd', 'foo', 'é', 'e\u0301', '日本', '\u{1f600}', '\u{1f600}\u{1f600}',
  'a b', '\n', '\u2028', '\u0000', '1', '12', 'A1', '-', 'ABC', 'x'.repeat(40), '\u00a0', '\\',
  '"',
];
// prettier-ignore
export const PATTERNS = [
  '^a', 'b$', '^[a-c]+$', '^.{2,3}$', '\\d', '^\\w+$', '^\\S*$', '\\s', '^\\p{L}+$', '[^a-z]',
  '(ab|é)', '^(?!a)', '^$', '^\\u{1f600}', '.', '^.$', '^x', 'é', '^\\D+$', '^[\\w-]{1,4}$',
  '(?<year>a)b?', 'a{2}', '^\\W', '\\bab\\b', '[\\s\\S]{3}', '(a)\\1',
];
// prettier-ignore
export const NUMBERS = [
  '0', '-0', '1', '1.0', '1e0', '10e-1', '2', '3', '-1', '-2', '5', '7', '10', '1e1', '100', '0.5',
  '1.5', '2.5', '0.1', '0.2', '0.3', '0.7', '1.1', '-0.1', '-1.5', '0.01', '1.01', '19.99', '1e-3',
  '4.35', '3.0', '1E2',
];
// prettier-ignore
export const HUGE = [
  '9007199254740991', '9007199254740992', '9007199254740993', '1e20', '100000000000000000000',
  '100000000000000000001', '1e308', '1e309', '-1e400', '1e-400', '0.30000000000000004',
  '0.1000000000000000055511151231257827', '123456789012345678901234567890',
  '1.0000000000000000001',
];
// prettier-ignore
export const FACTORS = ['1', '2', '3', '0.5', '0.1', '0.01', '1.0', '10', '2.5', '0.3', '1e-3', '7', '1e0', '0.25'];

// Texts that are, or nearly are, of a format.
// prettier-ignore
export const FORMATS = {
  date: [
    '2024-02-29', '2023-02-29', '1900-02-29', '2000-02-29', '2024-13-01', '2024-1-01',
    '2024-04-31', '0000-01-01', '2024-01-01T', '２024-01-01',
  ],
  time: [
    '12:00:00Z', '12:00:00+01:00', '24:00:00Z', '23:59:60Z', '12:00:60Z', '12:00:00.123z',
    '12:00:00', '12:00:00+24:00', '12:60:00Z', '22:59:60-01:00', '12:00:00.Z', '1:00:00Z',
    '12:00:00-00:00', '12:00:00+0100',
  ],
  'date-time': [
    '2024-02-29T12:00:00Z', '2024-02-30T12:00:00Z', '2024-02-29t12:00:00z', '2024-02-29 12:00:00Z',
    '1998-12-31T23:59:60Z', '1998-12-31T23:58:60Z', '2024-02-29T12:00:00',
    '2024-02-29T12:00:00.5+05:30', '2024-02-29T25:00:00Z',
  ],
  duration: [
    'P1D', 'P1Y2M3D', 'PT1H2M3S', 'P1W', 'P1W2D', 'P', 'PT', 'P1DT', 'PT1.5S', 'P1DT12H', 'PT1H3S',
    'P1Y3D', 'p1d', '-P1D',
  ],
  email: [
    'a@b.c', 'joe.bloggs@example.com', 'a@localhost', 'a.b@', '@b', 'a..b@example.com',
    '.a@example.com', 'te~st@example.com', '"joe bloggs"@example.com', 'joe@[127.0.0.1]',
    'a@b@c.de', 'a+b@example.com',
  ],
  hostname: [
    'example.com', 'a', 'xn--bcher-kva.example', '-a.com', 'a-.com', 'a..b', 'a.b.', 'a_b.com',
    'a'.repeat(63) + '.com', 'a'.repeat(64) + '.com', '1host', '127.0.0.1', '', 'ex ample.com',
    'a--b.com',
  ],
  ipv4: [
    '127.0.0.1', '256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5', '0.0.0.0', '1.2.3.4 ',
    '255.255.255.255', '1.2.3.1e1',
  ],
  ipv6: [
    '::1', '::', '1:2:3:4:5:6:7:8', '1::2::3', '::ffff:1.2.3.4', '1:2:3:4:5:6:7', '12345::',
    'fe80::1%eth0', '::1.2.3.4', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1:2:3:4:5:6:1.2.3.4',
    '::1.2.3', '2001:DB8::1',
  ],
  uri: [
    'http://example.com/a?b#c', 'urn:isbn:1', '//example.com', 'a b', 'http://[::1]/',
    'http://a b', 'mailto:a@b.c', 'http://a/%zz', 'http://a/%20', 'http://a:80/', 'http://a:x/',
    '1http://a', 'http://a/<b>', 'http://é.com', 'foo:', 'http://u:p@h/',
  ],
  'uri-reference': ['', '/a', 'a/b', '#x', '?q', '//h/p', 'a b', 'http://a', '\\a', '#x#y', '%zz', 'é'],
  uuid: [
    '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2EB8AA08-AA98-11EA-B4AA-73B441D16380',
    '2eb8aa08aa9811eab4aa73b441d16380', '00000000-0000-0000-0000-000000000000',
    '2eb8aa08-aa98-11ea-b4aa-73b441d1638', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g',
    'urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380',
  ],
  'json-pointer': ['', '/', '/a~0b/c~1', '/a~', 'a', '#/a', '/~2', '//', '/é'],
  'relative-json-pointer': ['0', '1/a', '0#', '00', '-1', '1', '10/a~1', 'a', '0##', '01/a'],
  regex: ['^a', '(', '[a', 'a{2,1}', '\\d+', '(?<a>b)', '*', '\\p{L}', 'a|b', ''],
  'uri-template': [
    'http://a/{b}', '{', '{a', 'a}', '{+a,b*}', '{a:3}', '{a:0}', '', '{a b}', '{#x}', '{/a}{?q}',
  ],
};

// prettier-ignore
export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
