/**
 * Hashes that Debian's libxcrypt made (crypt of Python 3.11 and of Perl 5.36). At 32 and 64 bytes SHA-crypt begins to lay digests end to
 * end.
 */
export const cryptHashes: readonly (readonly [password: string, hash: string])[] = [
  ['', '$1$abcdefgh$M55TzYaaccxVGbptZWaxX/'],
  ['', '$5$saltstring$FdNfA4gXqvCeO6iZs7G/.wwwoywYZqo0l1pwmfWaBA7'],
  ['', '$6$saltstring$kyGrqt6gmjAdtFLPrflEFifSYLCWWq1pyx95SvqinLDy2UHmj0sTF0MSLMwxPFZc3tu5kQckI8fks0zOPda3n1'],
  ['', '$6$rounds=1234$ab$C2ZlmIpFK/.rPJGK4Z16pSNS/XegJc/orHr8dQtU4m7efBjhMNsAP11etqOHDRROvcdtJLZjNfnNknYJM2JjR0'],
  ['', '$5$rounds=1000$0123456789abcdef$xa0HvuaJLNMllIstBuhtBKeAOwj/tbHHFvO6oD8ygT1'],
  ['', '$6$$/chiBau24cE26QQVW3IfIe68Xu5.JQ4E8Ie7lcRLwqxO5cxGuBhqF2HmTL.zWJ9zjChg3yJYFXeGBQ2y3Ba1d1'],
  ['secret', '$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1'],
  ['secret', '$5$saltstring$C3o4O1TC6aRHF4FI.QSZMXtHbaj2gSXr4sUc/3NcUi.'],
  ['secret', '$6$saltstring$AIsRs/Ee56G/tC8MEHhvReZTfx8u3rXXMl6eYrjCG9ibix19DxoMBLogdTET5Ukw9Sf7eZTITsuk0Ry5qulYz.'],
  [
    'secret',
    '$6$rounds=1234$ab$cdmU88t8vmoChk6GIJJPjvknVr9uReCj8z4pkwrXg.75hB9gS4XDEKrMp9MLTjHbtG0H/Me28oeDuw7bsG9Tw0',
  ],
  ['secret', '$5$rounds=1000$0123456789abcdef$oUHx2xFtuyubiiCcMGG7UUd1yBfHmGWG5hHZIbG9Fn8'],
  ['secret', '$6$$2M9DchxW4txWyTYoZrH9D3VvAAQxBpEezYsLY6Cao.jwzEXpyL9xwip9hiUZX7GqTqe/E/z6iKvZqXUuqniQH.'],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$1$abcdefgh$jHI7WHTIjFCU6GgVnjH3v/'],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$5$saltstring$7eexM9i/RwH3zSTlXIzQVgVOeOcfAEH1bze54mX5hU9'],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$saltstring$HG9xFGA13aLT65.tMdRQCe2m92la50G2GfDvNx8rc64gAZqHy0pEq0fbfIJeoDDG.nnxHiic6favHLD5hBuoo.',
  ],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$rounds=1234$ab$qWtBH/B1mfdDw2fYcGDQOLOJPldLeKgHceChh6jtQ4/PZH4Hbtvl3tJqGhPScwVHkQyL4Qw9ib8p6JIU4RyW8.',
  ],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$5$rounds=1000$0123456789abcdef$q4TmD1w1if3tjs/6JYjPWUinNHn63xLxHqZdkhidOG9'],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$$YhaFw.4skTt0DZmBYX.pJqE0NoB1y2t81pr1qPK/WntU1xkhH1wSsk0JQt9MTwX0T5JQmFGwV0fieVSJMMAQG1',
  ],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$1$abcdefgh$NLpCLgA.RQyxEsUGx9Cgn0'],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$5$saltstring$xLASXGU7L2tnQezB4rwhJEBqDVqcstZLQvC6JaczsJA'],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$saltstring$.j4RrIcePv6bd./K2AaTqayVawD.dmXscTL21dpe5veRRVFD/Nt7QHroMAv8kJJDy3qoYiQAfdlqqNzvc8U2o/',
  ],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$rounds=1234$ab$8VJD5XyxIkesvLH85eKvsIGa5xFyy5MRQ7GhF95uwlHS7f./zxyLD6NAx64EbDdACVtT87sbdiwdWItIu/F44.',
  ],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$5$rounds=1000$0123456789abcdef$9aTLN.HDRFFfhWWAE8/dBgfLdtuUGOFKc.qMLPMC1P8'],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$$JAWL.9UHbQfkBZCW3DDRo0xoLkKbcX3I9IwED/UtOI9bUV/5NZF2mGRm4P1S5nYURtJIWYaac0iPBLRnt1u0J.',
  ],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$1$abcdefgh$fNkKJTJF9xZNLmaKX.kFO0'],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$5$saltstring$xgMVX.dxWLPhqfWgxtBzsLSyyt8HLabKkX87lfNv3P/'],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$saltstring$01cmVY11FK/cnP5tFzulg2i4v8gFoHTGMUHD.60x3Hbe8r.bNwa9VSu/WgkWe4/38pL9GKBHclUKsUoX2JTmD0',
  ],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$rounds=1234$ab$OKYmsQ9WH6Kzqc61vGUNPgBLQ3pA6XCnJZ4r44xRqdBjNLWJJgN8RRUp/R.d9j4.FGrLTsJbYIDAajzabG64q0',
  ],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '$5$rounds=1000$0123456789abcdef$VUAMLgO1nM7iT.ajbp0MeukL6p2ZKREBA9kIM7rGOjD'],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    '$6$$S0IMqopHWIV3OqNzJ.6bYWjJxKK5YzUj7ciGFNUw/ak2Yt6FaSrHX3yz1e7m3/UyaXtc9bCOoMzIU0klcdr/M1',
  ],
  ['yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', '$1$abcdefgh$a7IieOXnknWab5ukBzC3B.'],
  [
    'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    '$5$saltstring$w0HRpy/m38WKtUTKWTOQfisUmTOrN4wtNIsR08RlafB',
  ],
  [
    'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    '$6$saltstring$V3nU/DMyyQP2aRAcH7K596A2xB.7dfmhK4kR9Zss6FSu1umnLe.GFTVXRwVNKHaJGTg2Qv5LZW1gZe0q3Ir1X.',
  ],
  [
    'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    '$6$rounds=1234$ab$0zipbTzoHKSYcrsWiab2p2hwDnuezFzPGeMLP1VCwq4U4yURwYC.XJN1g8T.e2OJ4ykTHMS6Som7ZWGbMk8Wg1',
  ],
  [
    'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    '$5$rounds=1000$0123456789abcdef$tKt5zittrEaGwVvhO5A6YgYQLpeHnEU7FyOvYcQTnrB',
  ],
  [
    'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    '$6$$ans8zGzoGQny.a8ySiDXg8mLCiKEPhtLHsYEFI/JxvYz6TReXefoytEF4GJjgJ3.L.fq0frBA/VoPAXBpQG.W0',
  ],
  ['zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', '$1$abcdefgh$WfDdFT7DVEy0yG7vffpdS0'],
  [
    'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    '$5$saltstring$5rW61jELGaibUSp3QrChTUufTR3NWlGrV9H/qICEgx7',
  ],
  [
    'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    '$6$saltstring$5ybynPRslmeDZdyuVGHr1ncGvw66TmmrVkFyo7hKqyQnKVTKz3urhgrgx8WqzIRFEQ29.PRiF7BDmG60DJt800',
  ],
  [
    'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    '$6$rounds=1234$ab$9E69J3l1mAjvUTeG.QoF2h.xU09gcROC3okZ9E97uvLB77MvAcJH6prXesNupxAf5WsmMwGIj/E.aYGYisRLs0',
  ],
  [
    'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    '$5$rounds=1000$0123456789abcdef$RgC4dZF0u0xUOLI5IUokisznPvU5ZLD5V/79cHK4qF7',
  ],
  [
    'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    '$6$$ETFqi5PYysrLNQLj81AJrxPHzH4XNSnG1Bp/sdBd4wLI3vW63TzZm6Mni4SnWF/isfft2HuptlYCX6vW/vjr80',
  ],
  ['пароль', '$1$abcdefgh$QfFdDZYjOC5k44ZZ.ueGu0'],
  ['пароль', '$5$saltstring$hoHz6McHVEJYU0eYczc9RLw06L5c04rp5fXxrg/JNv0'],
  ['пароль', '$6$saltstring$IBEzUw.cDr0yPeb/XWxsiE6GqLqBuB4J7JIqADWiqgZBUsCe/v6Fk/XvjiK35yc9fOR7ZdzU11VcaT4qCTTZc.'],
  [
    'пароль',
    '$6$rounds=1234$ab$RqIk7cWK/3gNQ2nhFaFXXaxH6M2wvVQmsMQHV10Iznk82VvcIcWLFmDew16tmpkwI2OI4L.5ya1JTTwCPHORt0',
  ],
  ['пароль', '$5$rounds=1000$0123456789abcdef$J7f1lKxIvLZp9rSRlrR5c5J4FY6fepbVLVduA6i/3P1'],
  ['пароль', '$6$$zBM8cHvLrI7aWuWigaxmFqrE3VEvN44LlG63viSvjZ7.SfyKeF.V7Ug6BZP10EkpMuMnCo.zkRwqEx0/.0tDq/'],
  [
    'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww',
    '$1$abcdefgh$1iQ5x6Zik66nnF4szHbC3/',
  ],
  [
    'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww',
    '$5$saltstring$Qd/qEBn1toBZ2O5l4rt6udgV/oiZbQ0ZJt9iKUY2Kj9',
  ],
  [
    'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww',
    '$6$saltstring$ws4ADLrdQoJj5u7.6Bc4D3/2S4xO3YW4xYRABrRmbeb8tlUa.kQfbRG0qk2H6joX1hSZJbHKLDDO6QI3AEoT6/',
  ],
  [
    'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww',
    '$6$rounds=1234$ab$5tpCrC6QI7mQvskJ3Qgx0KZWWEuCzllgzw55t7c4XTOhARqLNiwZxw77OYA322eIg3e.kelFkz8vuWd0rBGMI0',
  ],
  [
    'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww',
    '$5$rounds=1000$0123456789abcdef$4jNXddrWuyK.Lh6/5Ok.GuHQj8EcZ7xaxwCqY6mTXm/',
  ],
  [
    'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww',
    '$6$$rAgXFh3JNz0gZGUZZ9owESWOwHi3yBfDV6cbatRmFm/EsOV9APGqgIbIkfUSZx.OpEsO8AkLizoVs.vduvpbq0',
  ],
  ['', 'zz6dpSdr.LHZw'],
  ['secret', 'abNANd1rDfiNc'],
  ['secret', '$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a'],
  ['пароль', '$2y$04$abcdefghijklmnopqrstuuEcURSwic20Q66XyIAO.9pxf2gB7Z9F.'],
]
