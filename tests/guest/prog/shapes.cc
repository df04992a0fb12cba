// SPDX-License-Identifier: GPL-2.0
// Virtual calls of which nearly all go to one class, a map, and an algorithm of the library.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <unordered_map>
#include <vector>

struct Shape {
	virtual ~Shape() = default;
	virtual uint64_t area(uint64_t scale) const = 0;
};

struct Square : Shape {
	uint64_t side;
	explicit Square(uint64_t side) : side(side) {}
	uint64_t area(uint64_t scale) const override { return side * side * scale; }
};

struct Polygon : Shape {
	std::vector<uint64_t> points;
	explicit Polygon(uint64_t nr) { for (uint64_t i = 0; i < nr; i++) points.push_back(i * 7 % 31); }
	uint64_t area(uint64_t scale) const override
	{
		uint64_t sum = 0;

		for (size_t i = 0; i < points.size(); i++)
			sum += points[i] * points[(i + 1) % points.size()];
		return sum * scale;
	}
};

static uint64_t state = 88172645463325252ULL;

static uint64_t next()
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

class Drawing {
	std::vector<std::unique_ptr<Shape>> shapes;
	std::unordered_map<uint64_t, uint64_t> seen;
public:
	void fill(unsigned nr)
	{
		for (unsigned i = 0; i < nr; i++)
			if (next() % 50)
				shapes.push_back(std::make_unique<Square>(next() % 100));
			else
				shapes.push_back(std::make_unique<Polygon>(3 + next() % 9));
	}
	uint64_t draw(uint64_t scale)
	{
		uint64_t sum = 0;

		for (const auto &shape : shapes) {
			uint64_t area = shape->area(scale);

			if (area % 1009 == 0)
				seen[area]++;
			sum += area;
		}
		return sum;
	}
	uint64_t rank()
	{
		std::vector<uint64_t> areas;

		for (const auto &shape : shapes)
			areas.push_back(shape->area(1));
		std::sort(areas.begin(), areas.end());
		return areas[areas.size() / 2] + seen.size();
	}
};

int main()
{
	Drawing drawing;
	uint64_t sum = 0;

	drawing.fill(20000);
	for (uint64_t i = 1; i <= 300; i++)
		sum += drawing.draw(i);
	for (int i = 0; i < 8; i++)
		sum += drawing.rank();
	std::printf("%ju\n", (uintmax_t)sum);
}
