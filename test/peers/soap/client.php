<?php
// What a program on PHP's SoapClient does and sees. Arguments: mode (wsdl, named, positional), base url, user name, password, salt,
// contract. Prints one JSON object. Without a WSDL arguments have the names that SoapParam gives them, or none at all.

[, $mode, $base, $username, $password, $salt, $contract] = $argv;

// PHP's own client, with its message spoiled on its way.
class SpoiledClient extends SoapClient
{
    public ?Closure $spoil = null;

    public function __doRequest($request, $location, $action, $version, $oneWay = false): ?string
    {
        return parent::__doRequest($this->spoil ? ($this->spoil)($request) : $request, $location, $action, $version, $oneWay);
    }
}

function client(string $mode, string $address, string $namespace): SpoiledClient
{
    $common = ['exceptions' => true, 'cache_wsdl' => WSDL_CACHE_NONE];
    return $mode === 'wsdl'
        ? new SpoiledClient("$address?wsdl", $common)
        : new SpoiledClient(null, $common + ['location' => $address, 'uri' => $namespace]);
}

function call(SpoiledClient $client, string $mode, string $operation, array $said): mixed
{
    if ($mode === 'wsdl') {
        return $client->__soapCall($operation, [$said])->{"{$operation}Result"};
    }
    $named = array_map(fn($name) => new SoapParam($said[$name], $name), array_keys($said));
    return $client->__soapCall($operation, $mode === 'named' ? $named : array_values($said));
}

function told(Closure $deed): array
{
    try {
        return ['result' => $deed()];
    } catch (SoapFault $fault) {
        return ['code' => $fault->faultcode, 'text' => $fault->faultstring];
    }
}

$users = client($mode, "$base/api/1c/", 'billing.users');
$fiscal = client($mode, "$base/api/fiscal/", 'rpc.view.fiscal');

$signIn = fn(string $word) => call($users, $mode, 'get_user_hash', ['username' => $username, 'hash' => sha1(md5($word) . $salt)]);
$signedIn = $signIn($password);
$key = is_object($signedIn) ? $signedIn->hash : $signedIn;

$act = fn(string $kind, string $sum, string $id, ?string $otherKey = null) => told(fn() => call($fiscal, $mode, 'pay_usr_act2', [
    'hash_key' => $otherKey ?? $key,
    'ACT' => $kind,
    'CONTRACT_NUMBER' => $contract,
    'SUM_IN' => $sum,
    'PAY_OPERATOR' => "php-$mode",
    'COMMENT_IN' => 'касса <1> & «2»',
    'PAY_ID_STR' => $id,
]));

$spoiled = function (Closure $spoil) use ($fiscal, $act): array {
    $fiscal->spoil = $spoil;
    $answer = $act('CHECK', '', '');
    $fiscal->spoil = null;
    return $answer;
};

echo json_encode([
    'hash' => ['result' => $key],
    'wrongHash' => told(fn() => $signIn('wrong')),
    'check' => $act('CHECK', '', ''),
    'pay' => $act('PAY', '100,50', 'p-1'),
    'repeat' => $act('PAY', '100.5', 'p-1'),
    'otherSum' => $act('PAY', '100.51', 'p-1'),
    'wrongKey' => $act('PAY', '1', 'p-2', str_repeat('0', 32)),
    'imported' => told(fn() => call($fiscal, $mode, 'pay_usr_act_import', [
        'hash_key' => $key,
        'ACT_LIST' => "$contract;9,50;p-3;" . date('Y-m-d') . ";\nnobody;1;p-4;;",
        'PAY_OPERATOR' => "php-$mode",
    ])),
    'unknownOperation' => $spoiled(fn($request) => str_replace('pay_usr_act2', 'pay_usr_act9', $request)),
    'brokenXml' => $spoiled(fn($request) => substr($request, 0, -10)),
], JSON_THROW_ON_ERROR);
