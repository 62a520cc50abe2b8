/** Octets that a client sends and receives at each use of its connection. */
export const [uploaded, downloaded] = [100_000, 300_000]

/** Perl of a server that serves one client after another. */
export const serveOctets = `
use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalPort => 7, Listen => 1) or die $!;
while (my $client = $server->accept) {
  1 while read $client, my $octets, 65536;
  print $client 'x' x ${downloaded};
}
`

/** Perl of a client, which ends when it has received all. */
export const useOctets = (serverIp: string): string => `
use IO::Socket::INET;
my $server = IO::Socket::INET->new(PeerAddr => '${serverIp}', PeerPort => 7) or die $!;
print $server 'x' x ${uploaded};
shutdown $server, 1;
1 while read $server, my $octets, 65536;
`
