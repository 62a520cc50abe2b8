import { Breadcrumbs, Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { addressesPath, cities, homesEndpoint, insideOf, type Node, useNode, useShownNode } from './node.ts'
import { addressTexts } from './texts.ts'

type Place = Item<typeof homesEndpoint>

/** The address tree, a level at a time: cities, the streets of one, the houses of a street. */
export default function Addresses() {
  const t = useTexts(addressTexts)
  const { isKnown, node } = useShownNode()
  const [{ q, in: asked }] = useAddressFilters()
  const isSearch = q !== undefined && (asked === undefined || asked === cities)
  const columns = useColumns(isSearch)
  const add = useAddButton(node)
  return (
    <>
      <PageHead title={node?.name ?? t.title} says={node && <Way node={node} />} actions={add} />
      {isKnown && (
        <DataList
          name="addresses"
          endpoint={homesEndpoint}
          fixed={isSearch ? {} : node ? { parent: node.id } : { kind: 'city' }}
          filters={['q']}
          columns={columns}
          rowKey={({ id }) => id}
          rowName={({ address }) => address}
          rowTo={({ id, kind }) => (kind === 'house' ? `/subscribers/?home=${id}` : insideOf(id))}
          empty={{ title: t.none, says: t.noneSays, action: add }}
        />
      )}
      <Outlet />
    </>
  )
}

/** What is added here: the next narrower thing. */
function useAddButton(node: Node | undefined) {
  const t = useTexts(addressTexts)
  const may = useMay()
  if (!may('change')) return false
  const label = node === undefined ? t.addCity : node.kind === 'city' ? t.addStreet : t.addHouse
  const place = (node === undefined ? { in: cities } : { in: String(node.id) }) as never
  return (
    <>
      {node && (
        <Button component={Link} to={`${addressesPath}${node.id}/`} search={place} variant="default">
          {t.rename}
        </Button>
      )}
      <Button component={Link} to={`${addressesPath}new/`} search={place}>
        {label}
      </Button>
    </>
  )
}

/** The way up from a place. */
function Way({ node }: { readonly node: Node }) {
  const t = useTexts(addressTexts)
  const above = useNode(node.parent)
  return (
    <nav aria-label={t.way}>
      <Breadcrumbs>
        <Link to={addressesPath} search={{ in: cities } as never}>
          {t.cities}
        </Link>
        {above && (
          <Link to={addressesPath} search={{ in: String(above.id) } as never}>
            {above.name}
          </Link>
        )}
        <span>{node.name}</span>
      </Breadcrumbs>
    </nav>
  )
}

function useColumns(isSearch: boolean): readonly Column<Place>[] {
  const t = useTexts(addressTexts)
  const format = useFormat()
  const may = useMay()
  const mayChange = may('change')
  return useMemo(() => {
    const name = ({ name, address }: Place) => (isSearch ? address : name)
    const inside = ({ places, kind }: Place) => (kind === 'house' ? '' : t.streetsOf(format.number(places), places))
    const lives = ({ subscribers }: Place) =>
      subscribers === null ? null : t.livesOf(format.number(subscribers), subscribers)
    const columns: Column<Place>[] = [
      { id: 'name', title: t.name, sort: 'name', width: '40%', cell: name, text: name },
      { id: 'kind', title: t.kind, isOnCard: true, cell: ({ kind }) => t[kind], text: ({ kind }) => t[kind] },
      { id: 'places', title: t.places, isOnCard: true, cell: inside, text: ({ places }) => places },
      { id: 'subscribers', title: t.subscribers, isOnCard: true, cell: lives, text: ({ subscribers }) => subscribers },
    ]
    const actions: Column<Place> = {
      id: 'actions',
      title: t.rename,
      align: 'right',
      isAction: true,
      cell: ({ id, address }) => (
        <Link to={`${addressesPath}${id}/`} search={true as never} aria-label={t.renameOf(address)}>
          {t.rename}
        </Link>
      ),
    }
    return mayChange ? [...columns, actions] : columns
  }, [t, format, isSearch, mayChange])
}
